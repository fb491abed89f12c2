// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What all http and grpc probes of a runner share. On the loop's thread.
final class HTTPServices {
    let resolver: Resolver
    let secrets = SecretFiles()
    private let loop: EventLoop
    private var made: CurlMulti?
    private var isClosed = false

    init(loop: EventLoop, resolver: Resolver) {
        self.loop = loop
        self.resolver = resolver
    }

    /// The one that drives the transfers; made for the first.
    func multi() throws(ProbeFault) -> CurlMulti {
        if let made { return made }
        guard !isClosed else { throw ProbeFault(reason: .cancelled, detail: "cancelled") }
        let multi = try CurlMulti(loop: loop)
        made = multi
        return multi
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
