// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import ServerTrust

/// The state shared by all http and grpc probes of a runner. On the loop's thread.
final class HTTPServices {
    let resolver: Resolver
    let secrets = SecretFiles()
    private let tls: TLSService
    private let loop: EventLoop
    private var made: CurlMulti?
    private var isClosed = false

    init(loop: EventLoop, resolver: Resolver, tls: TLSService) {
        self.loop = loop
        self.resolver = resolver
        self.tls = tls
    }

    /// Returns the multi handle, created on first use.
    func multi() throws(ProbeFault) -> CurlMulti {
        if let made { return made }
        guard !isClosed else { throw ProbeFault(reason: .cancelled, detail: "cancelled") }
        let multi = try CurlMulti(loop: loop)
        made = multi
        return multi
    }

    /// Returns the verification for the server of a URL; nil for one without TLS.
    ///
    /// - Throws: ``ProbeFault``, also for a URL without TLS when there are pins (S27): a redirect could bypass them.
    func check(_ settings: TLSSettings, for url: HTTPURL) throws(ProbeFault) -> TLSCheck? {
        guard url.isSecure else {
            guard settings.policy.pinningMode == .none || settings.policy.reportsPinsOnly else {
                let detail = "\(url.scheme)://\(url.authority) does not use TLS, which pins require"
                throw ProbeFault(reason: .badRedirect, detail: detail)
            }
            return nil
        }
        return try tls.check(settings, host: IPAddress(url.host).map(ProbeHost.address) ?? .name(url.host))
    }

    /// Ends a transfer; does nothing when it has ended already.
    func cancel(_ transfer: CurlTransfer) {
        made?.cancel(transfer)
    }

    /// Ends all transfers; a second call does nothing.
    func close() {
        isClosed = true
        made?.close()
        made = nil
    }
}
