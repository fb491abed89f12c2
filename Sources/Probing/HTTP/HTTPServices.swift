// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import ServerTrust

/// What all http and grpc probes of a runner share. On the loop's thread.
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

    /// The one that drives the transfers; made for the first.
    func multi() throws(ProbeFault) -> CurlMulti {
        if let made { return made }
        guard !isClosed else { throw ProbeFault(reason: .cancelled, detail: "cancelled") }
        let multi = try CurlMulti(loop: loop)
        made = multi
        return multi
    }

    /// How to verify the server of a URL; nil for one without TLS.
    ///
    /// - Throws: ``ProbeFault``, also for a URL without TLS when there are pins (S27): a redirect could lead past them.
    func check(_ settings: TLSSettings, for url: HTTPURL) throws(ProbeFault) -> TLSCheck? {
        guard url.isSecure else {
            guard settings.policy.pinningMode == .none || settings.policy.reportsPinsOnly else {
                let detail = "\(url.scheme)://\(url.authority) is without TLS, where pins mean nothing"
                throw ProbeFault(reason: .badRedirect, detail: detail)
            }
            return nil
        }
        return try tls.check(settings, host: IPAddress(url.host).map(ProbeHost.address) ?? .name(url.host))
    }

    /// Ends a transfer; nothing happens when it has ended.
    func cancel(_ transfer: CurlTransfer) {
        made?.cancel(transfer)
    }

    /// Ends everything; a second call does nothing.
    func close() {
        isClosed = true
        made?.close()
        made = nil
    }
}
