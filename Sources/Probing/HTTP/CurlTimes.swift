// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// When a transfer had come how far, in microseconds from its start; 0 for not so far.
struct CurlTimes {
    /// The connection, to the proxy if there is one.
    var connected: Int64 = 0
    /// TLS.
    var secured: Int64 = 0
    /// The request is about to be sent.
    var requested: Int64 = 0
    /// The first byte of the answer.
    var answered: Int64 = 0
    /// The end.
    var total: Int64 = 0

    /// The phases that have ended, and for how long.
    var phases: [(ProbePhase, Duration)] {
        var phases: [(ProbePhase, Duration)] = []
        func add(_ phase: ProbePhase, from start: Int64, to end: Int64) {
            phases.append((phase, .microseconds(max(0, end - start))))
        }
        guard connected > 0 else { return phases }
        add(.connect, from: 0, to: connected)
        if secured > 0 { add(.tls, from: connected, to: secured) }
        guard answered > 0 else { return phases }
        add(.request, from: max(connected, secured), to: answered)
        add(.transfer, from: answered, to: total)
        return phases
    }
}
