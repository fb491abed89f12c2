// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// The settings of a server, with a limit for every resource that a client can use.
package struct HTTPServerSettings: Sendable {
    /// Limits on clients.
    package var limits = HTTPServerLimits()
    /// The sockets to listen on; at most 16.
    package var listeners: [Listener]
    /// The maximum number of clients waiting to be accepted, for each address.
    package var backlog: Int = 4096
    /// The default reserve: an idle service has 25 open.
    package static let standardDescriptorReserve = 128
    /// Descriptors that ``HTTPServerLimits/connections`` leaves for everything else, when it is absent.
    package var descriptorReserve: Int = standardDescriptorReserve
    /// Bytes of memory for a connection's requests: twice ``HTTPServerLimits/headerSize`` if this is less, at most 32 KiB. The library clears
    /// all of it after every request, so it holds no more than 8 KiB of header, and 64 bytes for each of 200 query parameters and 40 fields.
    package var poolSize: Int = 24 * 1024
    /// `Retry-After` of an overloaded server, in seconds.
    package var retryAfter: Int = 5
    /// Bytes of a stream that the kernel buffers for a slow client; the kernel doubles it for its own use. The source
    /// of a full stream is not polled: how far a client may lag behind is the source's decision.
    package var streamSendBuffer: Int = 64 * 1024
    /// Receives log lines. Called from the server's threads; must not call the server.
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

    /// The effective connection limit.
    var effectiveConnectionLimit: Int {
        if let connections = limits.connections { return max(1, connections) }
        guard let limit = DescriptorLimit.read() else { return 512 }
        // Caps an unlimited value, for the library's table.
        return max(16, Int(clamping: min(limit.soft, 1 << 20)) - descriptorReserve)
    }

    /// A pool large enough for the header limit, so that the limit's refusal can be answered from it.
    var effectivePoolSize: Int {
        min(32 * 1024, max(poolSize, min(2 * limits.headerSize, 32 * 1024), 4096))
    }
}

/// Limits on the clients of a server.
package struct HTTPServerLimits: Sendable, Hashable {
    /// Maximum open connections, including streams; further clients wait in the backlog. By default the process's limit
    /// of descriptors (`RLIMIT_NOFILE`), less ``HTTPServerSettings/descriptorReserve``.
    package var connections: Int?
    /// Maximum open connections of one IP address; further ones are closed. Unix sockets are exempt, and those with TLS
    /// are counted separately. Nil is unlimited.
    package var connectionsPerAddress: Int?
    /// Maximum bytes of a request's line and headers; larger ones get 431.
    package var headerSize: Int = 8 * 1024
    /// Maximum bytes of a request's body; larger ones get 413.
    package var bodySize: Int = 256 * 1024
    /// Timeout for a request's line and headers, from the connection's begin or, for later requests, from the request's
    /// line. A slower client gets 408 and its connection is closed.
    package var headerTimeout: Duration = .seconds(10)
    /// Timeout for a request's body.
    package var bodyTimeout: Duration = .seconds(30)
    /// Time without a byte in either direction after which a connection is closed; in whole seconds, at least one.
    package var idleTimeout: Duration = .seconds(30)
    /// Maximum open streams; further ones get 503 with `Retry-After`.
    package var streams: Int = 1000
    /// Idle time after which a stream gets its source's heartbeat.
    package var heartbeat: Duration = .seconds(15)
    /// Time without progress of a stream's client after which the stream is closed.
    package var stallTimeout: Duration = .seconds(30)

    /// The defaults.
    package init() {}
}
