// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What a server is told when it is made. Everything a client can use up has its limit here.
package struct HTTPServerSettings: Sendable {
    /// What clients may use up.
    package var limits = HTTPServerLimits()
    /// Where to listen; at most 16.
    package var listeners: [Listener]
    /// Clients that may wait to be accepted, for each address.
    package var backlog: Int = 4096
    /// The reserve unless another one is set: an idle service has 25 open.
    package static let standardDescriptorReserve = 128
    /// Descriptors that ``HTTPServerLimits/connections`` leaves for everything else, when it is not given.
    package var descriptorReserve: Int = standardDescriptorReserve
    /// Bytes of memory for a connection's requests: twice ``HTTPServerLimits/headerSize`` if this is less, at most 32 KiB. Half of it is for what
    /// the library keeps of each query parameter and field. It clears it after every request.
    package var poolSize: Int = 32 * 1024
    /// What `Retry-After` says then, in seconds.
    package var retryAfter: Int = 5
    /// Bytes of a stream that the kernel holds for a client that does not read; the kernel doubles it for its own use.
    /// A stream that is full is not asked for more: how far a client may lag behind is its source's decision.
    package var streamSendBuffer: Int = 64 * 1024
    /// Takes a line for the log. Called from the server's threads; must not call the server.
    package var logger: @Sendable (String) -> Void = { _ in }
    /// Makes the answer to a request that the server refuses by itself (400, 408, 413, 431, 500, 501, 503), from its
    /// status and a sentence. Called on the server's thread.
    package var refusal: @Sendable (_ status: Int, _ detail: String) -> HTTPResponse = { status, detail in
        HTTPResponse(
            status: status,
            headers: [HTTPHeader("Content-Type", "text/plain; charset=utf-8")],
            body: .bytes(Array((detail + "\n").utf8))
        )
    }

    /// Creates settings with defaults for all but the addresses.
    package init(listen: [ListenAddress]) {
        self.init(listeners: listen.map { Listener(.address($0)) })
    }

    /// Creates settings with defaults for all but the sockets.
    package init(listeners: [Listener]) {
        self.listeners = listeners
    }

    /// The connection limit that holds.
    var effectiveConnectionLimit: Int {
        if let connections = limits.connections { return max(1, connections) }
        guard let limit = DescriptorLimit.read() else { return 512 }
        // Unlimited is a very large number; a library's table and a client's patience are not.
        return max(16, Int(clamping: min(limit.soft, 1 << 20)) - descriptorReserve)
    }

    /// The pool that is large enough for the header limit, so that the limit's refusal can be answered from it.
    var effectivePoolSize: Int {
        min(32 * 1024, max(poolSize, min(2 * limits.headerSize, 32 * 1024), 4096))
    }
}

/// What clients of a server may use up.
package struct HTTPServerLimits: Sendable, Hashable {
    /// Open connections, streams among them; further clients wait in the backlog. By default as many as the process
    /// may have descriptors (`RLIMIT_NOFILE`), less ``HTTPServerSettings/descriptorReserve``.
    package var connections: Int?
    /// Open connections of one IP address; further ones are closed. Unix sockets are not counted, and
    /// those with TLS are counted apart. Absent: no limit.
    package var connectionsPerAddress: Int?
    /// Bytes of a request's line and header fields; more are answered with 431.
    package var headerSize: Int = 8 * 1024
    /// Bytes of a request's body; more are answered with 413.
    package var bodySize: Int = 256 * 1024
    /// Time for a request's line and header fields, counted from the connection's begin or, later on, from the
    /// request's line. A slower client gets 408 and its connection ends.
    package var headerTimeout: Duration = .seconds(10)
    /// Time for a request's body.
    package var bodyTimeout: Duration = .seconds(30)
    /// Time without a byte either way after which a connection ends; counted in whole seconds, at least one.
    package var idleTimeout: Duration = .seconds(30)
    /// Open streams; further ones are answered with 503 and `Retry-After`.
    package var streams: Int = 1000
    /// Time without another byte after which a stream gets its source's heartbeat.
    package var heartbeat: Duration = .seconds(15)
    /// Time for which a stream's client may take no byte before the stream ends.
    package var stallTimeout: Duration = .seconds(30)

    /// The defaults.
    package init() {}
}
