// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// `http`: a request over HTTP/1.1 or HTTP/2, its redirects, and the check of the final response.
///
/// Each hop is a separate transfer on a fresh connection: a redirect's host is resolved by our resolver and receives no
/// credentials, and every connection uses the request's source, interface and mark.
final class HTTPProbe: ProbeAttempt {
    private let settings: HTTPProbeSettings
    private let services: HTTPServices
    private let family: ProbeFamily
    private let policy: TargetPolicy?
    private let progress: AttemptProgress
    private let meter: ReceiveMeter
    private var url: HTTPURL
    /// Whether all redirects so far led to the same origin.
    private var isHome = true
    private var address: IPAddress
    private var method: String
    private var body: [UInt8]?
    private var redirects = 0
    /// What servers set on the way: a login page may redirect to itself.
    private var cookies: [String] = []
    private var transfer: CurlTransfer?
    private var report: TLSReport?
    private var query: ResolverQuery?

    init(_ settings: HTTPProbeSettings, _ context: AttemptContext, _ services: HTTPServices) {
        self.settings = settings
        self.services = services
        family = context.request.family
        policy = context.policy
        progress = AttemptProgress(context)
        meter = ReceiveMeter(content: settings.bodyLimit)
        url = settings.url
        address = context.address
        method = settings.method
        body = settings.body
    }

    func start() {
        attempt { () throws(ProbeFault) in try send() }
    }

    func expire() {
        if query != nil { return fail(ProbeFault(reason: .nameTimeout, detail: "looking up \(url.host) timed out")) }
        let (response, fault) = HTTPTimeout.fault(of: transfer, usesProxy: settings.proxy != nil)
        if let response { took(response) }
        fail(fault)
    }

    func cancel() {
        stop()
        progress.end()
    }

    // MARK: Hops

    private func send() throws(ProbeFault) {
        let request = try request()
        transfer = try services.multi().start(request) { [weak self] in self?.ended($0, to: request) }
    }

    private func request() throws(ProbeFault) -> CurlRequest {
        guard HTTPHeader.isToken(method) else {
            throw ProbeFault(reason: .invalidRequest, detail: "\(PrintableBytes.quote(method.utf8)) is not a method")
        }
        var request = CurlRequest(
            url: url,
            address: address,
            port: settings.proxy?.port ?? url.port,
            origin: progress.context.origin,
            meter: meter
        )
        request.tls = try services.check(HTTPHeaderLines.settings(settings.tls, isHome: isHome), for: url)
        request.method = method
        request.body = body
        request.version = settings.version
        request.acceptsCompression = settings.acceptsCompression
        if settings.redirects > 0 { request.cookies = cookies }
        request.bodyLimit = max(0, settings.bodyLimit)
        request.keepsHeaders = settings.expectation.needsHeaders
        request.keepsBody = settings.expectation.needsBody
        request.headers = HTTPHeaderLines.lines(settings.headers, isHome: isHome, hasBody: body != nil)
        if isHome { try add(settings.credentials, to: &request) }
        if let proxy = settings.proxy {
            request.usesProxy = true
            if let user = proxy.user {
                let password = try proxy.passwordFile.map { path throws(ProbeFault) in try services.secrets.read(path) }
                request.proxyLogin = CurlRequest.Login(user: user, password: password ?? "")
            }
        }
        return request
    }

    private func add(_ credentials: HTTPCredentials?, to request: inout CurlRequest) throws(ProbeFault) {
        switch credentials {
        case nil: break
        case .basic(let user, let passwordFile)?:
            request.login = CurlRequest.Login(user: user, password: try services.secrets.read(passwordFile))
        case .bearer(let tokenFile)?:
            request.headers.append("Authorization: Bearer \(try services.secrets.read(tokenFile))")
        }
    }

    private func ended(_ response: CurlResponse, to request: CurlRequest) {
        transfer = nil
        took(response)
        attempt { () throws(ProbeFault) in
            if let fault = CurlFault.fault(of: response, to: request) { throw fault }
            if settings.version == .http2, response.version != 20 {
                throw ProbeFault(reason: .httpProtocolError, detail: "the server does not speak HTTP/2")
            }
            if try follow(response) { return }
            finish(response)
        }
    }

    /// Records what is independent of the response's correctness.
    private func took(_ response: CurlResponse) {
        for (phase, time) in response.times.phases { progress.addPhase(phase, time) }
        report = response.tls ?? report
        cookies = response.cookies
        // The connection to a proxy says nothing about the target.
        if settings.proxy == nil ? response.times.connected > 0 : response.status > 0 { progress.isAnswered = true }
    }

    // MARK: Redirects

    /// - Returns: Whether a redirect was followed.
    private func follow(_ response: CurlResponse) throws(ProbeFault) -> Bool {
        guard settings.redirects > 0, [301, 302, 303, 307, 308].contains(response.status),
            let location = response.location
        else {
            return false
        }
        guard redirects < settings.redirects else {
            throw ProbeFault(
                reason: .tooManyRedirects,
                detail: "\(url) redirects again after \(redirects) redirects"
            )
        }
        redirects += 1
        let next: HTTPURL
        do throws(HTTPURLError) {
            next = try HTTPURL(redirect: Array(location), from: url)
        } catch {
            throw ProbeFault(reason: .badRedirect, detail: "\(url) redirects to an unsupported URL: \(error)")
        }
        if let refusal = policy?.refusal(of: next) { throw refusal.fault(of: "a redirect to \(next)") }
        // RFC 9110, section 15.4: 303 is fetched with GET; after 301 and 302 all clients also replace POST by GET.
        if response.status == 303 && method != "HEAD" || response.status < 303 && method == "POST" {
            method = "GET"
            body = nil
        }
        let isSameHost = next.host.lowercased() == url.host.lowercased()
        url = next
        // Permanent once false: another origin must not choose a URL that is then fetched with our credentials.
        isHome = isHome && url.hasOrigin(of: settings.url)
        if settings.proxy != nil || isSameHost {
            try send()
        } else if let known = IPAddress(next.host) {
            try ask([known])
        } else {
            let start = progress.loop.clock.now()
            let take: (ResolverAnswer) -> Void = { [weak self] answer in
                guard let self else { return }
                query?.cancel()
                query = nil
                progress.addPhase(.resolve, .nanoseconds(progress.loop.clock.now() - start))
                resolved(answer)
            }
            query = services.resolver.resolve(next.host, family: wantedFamily, early: take, completion: take)
        }
        return true
    }

    private func resolved(_ answer: ResolverAnswer) {
        attempt { () throws(ProbeFault) in
            guard case .addresses(let found) = answer.outcome else {
                throw ResolverReason.fault(of: answer.outcome, name: url.host)
            }
            try ask(found.map(\.address))
        }
    }

    private var wantedFamily: AddressFamily? {
        progress.context.origin.source?.family ?? (family == .any ? nil : address.family)
    }

    /// Continues with the first address of a family that the run uses.
    private func ask(_ addresses: [IPAddress]) throws(ProbeFault) {
        guard let first = addresses.first(where: { wantedFamily == nil || $0.family == wantedFamily }) else {
            throw ProbeFault(reason: .nameWithoutAddress, detail: "\(url.host) has no usable address")
        }
        if let refusal = policy?.refusal(of: first) { throw refusal.fault(of: "a redirect to \(url)") }
        address = first
        try send()
    }

    // MARK: The end

    private func finish(_ response: CurlResponse) {
        let answer = HTTPAnswer(response, url: url, redirects: redirects)
        let mismatch = HTTPResponseCheck.fault(of: response, isSecure: url.isSecure, by: settings.expectation)
        let kind = answer.contentType.map { ", \(PrintableBytes.quote($0.utf8))" } ?? ""
        let detail =
            mismatch?.detail
            ?? "status \(answer.status) over HTTP/\(answer.version), \(answer.bodySize) bytes\(kind)"
        progress.finish(mismatch == nil ? .success : .failure, mismatch?.reason, detail) { result in
            result.answers = ProbeAnswers([answer])
            result.tls = report
        }
    }

    func fail(_ fault: ProbeFault) {
        // A connection to a proxy, or to where a redirect leads, says nothing of the target's path.
        let isToTarget = settings.proxy == nil && address == progress.context.address
        let stall = isToTarget && fault.reason == .timeout ? transfer?.stall : nil
        stop()
        progress.fail(fault, stall: stall) { $0.tls = report }
    }

    private func stop() {
        query?.cancel()
        query = nil
        if let transfer { services.cancel(transfer) }
        transfer = nil
    }
}

/// Builds the header lines of a request.
enum HTTPHeaderLines {
    /// Returns the TLS settings that apply to any server.
    static func settings(_ settings: TLSSettings, isHome: Bool) -> TLSSettings {
        guard !isHome else { return settings }
        var settings = settings
        settings.serverName = nil
        settings.verifiedName = nil
        settings.certificateFile = nil
        settings.keyFile = nil
        return settings
    }

    /// Returns the configured headers, and those that override libcurl's defaults.
    ///
    /// - Parameters:
    ///   - isHome: Whether the request goes to the configured origin, not to a redirect's.
    ///   - hasBody: Whether there is a body.
    static func lines(_ headers: [HTTPHeader], isHome: Bool, hasBody: Bool) -> [String] {
        func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }
        // A custom header such as `X-Api-Key` may be a credential.
        var lines = headers.filter { isHome || $0.isForAnyOrigin }.map(\.line)
        if !has("user-agent") { lines.append("User-Agent: reachd") }
        if hasBody {
            // By default libcurl declares every body a form, and waits a second for `100 Continue` before a large one.
            if !has("content-type") { lines.append("Content-Type:") }
            if !has("expect") { lines.append("Expect:") }
        }
        return lines
    }
}

/// Describes a transfer that timed out.
enum HTTPTimeout {
    /// - Returns: The response so far, nil when there is no transfer, and the fault.
    static func fault(of transfer: CurlTransfer?, usesProxy: Bool) -> (CurlResponse?, ProbeFault) {
        guard let transfer else { return (nil, ProbeFault(reason: .timeout, detail: "no answer in time")) }
        transfer.inform()
        let response = transfer.response
        if let fault = response.fault { return (response, fault) }
        let detail: String
        if response.times.connected == 0 {
            detail = usesProxy ? "no connection to the proxy in time" : "no connection in time"
        } else if transfer.request.url.isSecure, response.times.secured == 0 {
            detail = "connected, but the TLS handshake timed out"
        } else if response.status == 0 {
            detail = "connected, but no response in time"
        } else {
            detail = "status \(response.status), but the response was incomplete in time"
        }
        return (response, ProbeFault(reason: .timeout, detail: detail))
    }
}
