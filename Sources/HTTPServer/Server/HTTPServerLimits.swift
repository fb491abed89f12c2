// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
