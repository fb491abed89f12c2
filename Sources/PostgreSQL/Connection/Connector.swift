// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Addresses
internal import LinuxIO

/// Tries each address of each host in order until a session satisfies `target_session_attrs`. On the loop's thread.
///
/// Unlike libpq, it also continues after an error of authentication: one host with another configuration must not keep a node from
/// the others.
final class Connector {
    typealias Completion = ConnectionAttempt.Completion

    private let loop: EventLoop
    private let resolver: Resolver
    private let settings: DatabaseSettings
    private var completion: Completion?
    private var targets: [(host: DatabaseHost, requirement: SessionRequirement)]
    private var addresses: [String?] = []
    private var errors: [DatabaseError] = []
    private var timer: TimerToken?
    private var nextTurn: TimerToken?
    private var query: ResolverQuery?
    private var queryTimer: TimerToken?
    private var attempt: ConnectionAttempt?

    /// How many addresses of a host are tried.
    static let addressLimit = 16

    init(loop: EventLoop, resolver: Resolver, settings: DatabaseSettings, completion: @escaping Completion) {
        self.loop = loop
        self.resolver = resolver
        self.settings = settings
        self.completion = completion
        targets = settings.session.passes.flatMap { requirement in settings.hosts.map { ($0, requirement) } }.reversed()
    }

    deinit { cancel() }

    /// Begins; the completion is called in a later turn of the loop.
    func start() {
        timer = loop.schedule(after: settings.connectTimeout.nanoseconds) { [weak self] in self?.deadlinePassed() }
        continueSoon()
    }

    /// Ends everything without calling the completion; a second call does nothing.
    func cancel() {
        completion = nil
        for token in [timer, nextTurn, queryTimer] {
            if let token { loop.cancel(token) }
        }
        timer = nil
        nextTurn = nil
        queryTimer = nil
        query?.cancel()
        query = nil
        attempt?.cancel()
        attempt = nil
    }

    /// In another turn: attempts may fail at once, and others wait for the loop.
    private func continueSoon() {
        nextTurn = loop.schedule(at: 0) { [weak self] in
            self?.nextTurn = nil
            self?.tryNext()
        }
    }

    private func tryNext() {
        guard let target = targets.last else { return finish(.failure(Self.summary(of: errors))) }
        if let address = addresses.popLast() {
            if addresses.isEmpty { targets.removeLast() }
            return tryAddress(address, of: target.host, target.requirement)
        }
        if target.host.isSocket {
            addresses = [nil]
            tryNext()
        } else if let address = target.host.address {
            addresses = [address]
            tryNext()
        } else {
            resolve(target.host)
        }
    }

    private func resolve(_ host: DatabaseHost) {
        queryTimer = loop.schedule(after: settings.attemptTimeout.nanoseconds) { [weak self] in
            self?.resolved(host, .timedOut)
        }
        let take: (ResolverAnswer) -> Void = { [weak self] answer in self?.resolved(host, answer.outcome) }
        query = resolver.resolve(host.name, early: take, completion: take)
    }

    private func resolved(_ host: DatabaseHost, _ outcome: ResolverAnswer.Outcome) {
        if let queryTimer { loop.cancel(queryTimer) }
        queryTimer = nil
        query?.cancel()
        query = nil
        if case .addresses(let found) = outcome {
            addresses = found.prefix(Self.addressLimit).reversed().map(\.address.description)
            tryNext()
        } else {
            targets.removeLast()
            errors.append(DatabaseError(.resolutionFailed, "\(host.name): \(Self.words(for: outcome))"))
            continueSoon()
        }
    }

    private func tryAddress(_ address: String?, of host: DatabaseHost, _ requirement: SessionRequirement) {
        let attempt = ConnectionAttempt(
            loop: loop,
            settings: settings,
            host: host,
            address: address,
            requirement: requirement
        ) { [weak self] result in
            guard let self else { return }
            self.attempt = nil
            switch result {
            case .success: finish(result)
            case .failure(let error):
                errors.append(error)
                continueSoon()
            }
        }
        self.attempt = attempt
        attempt.start()
    }

    private func deadlinePassed() {
        timer = nil
        errors.append(DatabaseError(.connectTimeout, "no connection within \(settings.connectTimeout)"))
        finish(.failure(Self.summary(of: errors)))
    }

    private func finish(_ result: Result<(Session, DatabaseServer), DatabaseError>) {
        guard let completion else { return }
        cancel()
        completion(result)
    }

    // MARK: Errors

    /// One error of several attempts: the one that says most, followed by the others.
    static func summary(of errors: [DatabaseError]) -> DatabaseError {
        var best: DatabaseError?
        for error in errors where best.map({ rank($0.reason) > rank(error.reason) }) ?? true { best = error }
        guard let best else { return DatabaseError(.unreachable, "no attempt was made") }
        var messages = [best.message]
        for error in errors where !messages.contains(error.message) { messages.append(error.message) }
        return DatabaseError(best.reason, messages.joined(separator: "; "), sqlState: best.sqlState)
    }

    /// The smaller, the more an error says about what to correct.
    private static func rank(_ reason: DatabaseError.Reason) -> Int {
        switch reason {
        case .invalidSettings, .passwordFile: 0
        case .authenticationFailed: 1
        case .noSuchDatabase: 2
        case .serverTooOld: 3
        case .tlsNameMismatch: 4
        case .tlsFailed: 5
        case .tooManyConnections: 6
        case .wrongSession: 7
        case .shuttingDown: 8
        case .connectTimeout: 10
        case .connectionLost: 11
        case .unreachable: 12
        case .resolutionFailed: 13
        default: 9
        }
    }

    private static func words(for outcome: ResolverAnswer.Outcome) -> String {
        switch outcome {
        case .addresses, .noData: "the host has no address"
        case .noSuchName: "the host does not exist"
        case .badName: "the host name is invalid"
        case .timedOut: "no name server answered in time"
        case .serverFailure, .refused: "the name servers cannot resolve the host"
        case .unreachable: "no name server is reachable"
        case .exhausted(let error): error.description
        case .failed(let code): "the host cannot be resolved (c-ares code \(code))"
        }
    }
}
