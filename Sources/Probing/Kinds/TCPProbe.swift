// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// `tcp`: a connection, and when there is a dialogue what is said on it, over TLS when STARTTLS is asked for.
enum TCPProbe {
    static func attempt(
        _ settings: TCPProbeSettings,
        _ context: AttemptContext,
        _ service: TLSService
    ) -> any ProbeAttempt {
        let plan = StreamPlan(
            port: settings.port,
            startTLS: settings.startTLS?.applicationProtocol,
            tls: settings.startTLS?.tls,
            dialogue: settings.dialogue
        )
        return StreamProbe(plan, context, service)
    }
}
