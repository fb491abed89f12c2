// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the runs that speak TLS share. On the loop's thread.
final class TLSService {
    private let contexts = TLSContextCache()
    private let wallClock: @Sendable () -> Int64

    /// - Parameter wallClock: The time in seconds since 1970.
    init(wallClock: @escaping @Sendable () -> Int64) {
        self.wallClock = wallClock
    }

    /// The verification for one handshake.
    ///
    /// - Throws: ``ProbeFault`` when a file cannot be used or the settings cannot be.
    func check(_ settings: TLSSettings, host: ProbeHost) throws(ProbeFault) -> TLSCheck {
        let name = try TLSPeerName(settings, host: host)
        let context = try contexts.context(for: settings)
        let trust = try contexts.evaluator(for: settings)
        return TLSCheck(context, trust, for: name, at: wallClock())
    }
}
