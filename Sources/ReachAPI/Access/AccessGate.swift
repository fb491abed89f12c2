// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Synchronization

/// Admits or refuses requests by token, ticket, origin and rate limit.
final class AccessGate: Sendable {
    private let hosts: HostRule
    /// One object, so that a request takes the rules with one lock and one reference.
    private let rules = Mutex(Rules(AccessRules()))
    private let budgets: RequestRateLimits
    let tickets: TicketIssuer

    /// - Parameter time: monotonic time in nanoseconds.
    init(hosts: HostRule, time: @escaping @Sendable () -> UInt64) {
        self.hosts = hosts
        budgets = RequestRateLimits(time: time)
        tickets = TicketIssuer(time: time)
    }

    func apply(_ rules: AccessRules) {
        budgets.apply(perSecond: rules.writesPerSecond)
        self.rules.withLock { $0 = Rules(rules) }
    }

    /// The current rules.
    final class Rules: Sendable {
        let tokens: [AccessToken]
        let origins: Set<String>

        fileprivate init(_ rules: AccessRules) {
            tokens = rules.tokens
            origins = rules.origins
        }
    }

    /// The rules that apply to a request from its begin to its end.
    var current: Rules { rules.withLock { $0 } }

    /// The result of checking a request.
    enum Admission {
        case admitted(ClientIdentity)
        case refused(Problem)
    }

    /// Checks whether a request is allowed. A refusal counts against the client's address only.
    ///
    /// - Parameters:
    ///   - rules: ``current``, as it was when the request arrived.
    ///   - scope: the scope that the request needs.
    ///   - ticket: the ticket of a stream, in place of a header.
    ///   - isHeartbeat: heartbeats are accepted from any machine, as `push` probes need them.
    func admit(
        _ request: HTTPRequest,
        under rules: Rules,
        wanting scope: AccessScope,
        ticket: String? = nil,
        isHeartbeat: Bool = false
    ) -> Admission {
        var client = ClientIdentity(request)
        guard let problem = problem(of: request, under: rules, scope, ticket, isHeartbeat, &client) else {
            return .admitted(client)
        }
        return .refused(spend(.refusal, by: client) ?? problem)
    }

    /// - Parameter client: becomes that of the token, if the request has a known one.
    private func problem(
        of request: HTTPRequest,
        under rules: Rules,
        _ scope: AccessScope,
        _ ticket: String?,
        _ isHeartbeat: Bool,
        _ client: inout ClientIdentity
    ) -> Problem? {
        if rules.tokens.isEmpty {
            guard scope == .write else { return nil }
            let rule = WriteRule(hosts: hosts, isOpenToAll: isHeartbeat)
            return rule.refusal(of: request).map { Problem(kind: .forbidden, detail: $0) }
        }
        guard let shown = Self.bearer(request.header("Authorization")) else {
            if let ticket, scope == .read { return tickets.take(ticket) ? nil : Self.unknown(ticket: true) }
            return Self.challenge(nil, "A token is required: `Authorization: Bearer …`.")
        }
        guard let token = rules.tokens.find(shown) else { return Self.unknown(ticket: false) }
        client = .token(token.digest)
        guard token.scopes.contains(scope) else {
            return Problem(
                kind: .forbidden,
                detail: Self.missing(scope),
                headers: [Self.challengeField(#"error="insufficient_scope", scope="\#(scope.rawValue)""#)]
            )
        }
        return nil
    }

    /// The scopes of a request that may read, and why it may not change anything. Does not count against a limit.
    func permissions(of request: HTTPRequest, under rules: Rules) -> (scopes: Set<AccessScope>, refusal: String?) {
        if rules.tokens.isEmpty {
            let refusal = WriteRule(hosts: hosts).refusal(of: request)
            return (refusal == nil ? [.read, .write] : [.read], refusal)
        }
        let token = Self.bearer(request.header("Authorization")).flatMap(rules.tokens.find)
        let scopes = token?.scopes ?? []
        return (scopes, scopes.contains(.write) ? nil : Self.missing(.write))
    }

    private static func missing(_ scope: AccessScope) -> String {
        "The token does not have the scope `\(scope.rawValue)`."
    }

    /// Counts a request against a client's limit; returns the problem if the limit is exceeded.
    func spend(_ kind: RequestRateLimits.Kind, by client: ClientIdentity) -> Problem? {
        guard let wait = budgets.spend(kind, by: client) else { return nil }
        let what =
            switch kind {
            case .change: "changes"
            case .heartbeat: "heartbeats for this target"
            case .refusal: "refused requests"
            }
        return Problem(
            kind: .tooManyWrites,
            detail: "This client sent too many \(what) (limits.writes_per_second); retry in \(wait) s.",
            headers: [HTTPHeader("Retry-After", String(wait))]
        )
    }

    // MARK: Tokens

    /// The token of an `Authorization` header (RFC 6750, section 2.1); nil if there is none.
    private static func bearer(_ field: String?) -> String? {
        guard let field else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let token = parts[1].drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }

    private static func unknown(ticket: Bool) -> Problem {
        challenge(
            #"error="invalid_token""#,
            ticket ? "The ticket is unknown, used or expired; request another." : "The token is unknown."
        )
    }

    private static func challenge(_ parameters: String?, _ detail: String) -> Problem {
        Problem(kind: .unauthorized, detail: detail, headers: [challengeField(parameters)])
    }

    private static func challengeField(_ parameters: String?) -> HTTPHeader {
        HTTPHeader("WWW-Authenticate", #"Bearer realm="reachd""# + (parameters.map { ", " + $0 } ?? ""))
    }
}
