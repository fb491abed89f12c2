// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// `tls`: a handshake, at once or after STARTTLS, and when there is a dialogue what is said after it.
enum TLSProbe {
    static func attempt(
        _ settings: TLSProbeSettings,
        _ context: AttemptContext,
        _ service: TLSService
    ) -> any ProbeAttempt {
        let plan = StreamPlan(
            port: settings.port,
            startTLS: settings.startTLS,
            tls: settings.tls,
            dialogue: settings.dialogue
        )
        return StreamProbe(plan, context, service)
    }
}
