// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// A TLS handshake, and an optional dialogue after it.
package struct TLSProbeSettings: Sendable, Hashable {
    /// The port to connect to.
    package var port: UInt16
    /// The TLS settings.
    package var tls: TLSSettings
    /// The STARTTLS protocol; nil for implicit TLS.
    package var startTLS: StartTLSProtocol?
    /// The steps of the dialogue; without steps, a completed handshake is a success.
    package var dialogue: [DialogueStep]

    /// Creates settings; everything has a default.
    package init(
        port: UInt16 = 443,
        tls: TLSSettings = TLSSettings(),
        startTLS: StartTLSProtocol? = nil,
        dialogue: [DialogueStep] = []
    ) {
        self.port = port
        self.tls = tls
        self.startTLS = startTLS
        self.dialogue = dialogue
    }
}

extension TLSProbeSettings: ProbeSettings {
    static let description = ProbeKindDescription(
        "tls",
        synonyms: ["ssl"],
        title: "a certificate is trusted",
        port: .standard(443),
        fields: StreamFields.all,
        expectations: ExpiryBounds.fields
    )

    init?(_ declaration: inout ProbeDeclaration) {
        guard let port = declaration.port(defaultValue: declaration.startTLS == nil ? 443 : nil) else { return nil }
        let tls = declaration.tls()
        let startTLS = declaration.startTLS
        self.init(port: port, tls: tls, startTLS: startTLS, dialogue: declaration.dialogue())
    }

    var askedPort: UInt16? { port }
    var mayUseTLS: Bool { true }

    func asking(_ target: ProbeTarget, hasPort: Bool, hostname: String?) throws(ProbeTargetError) -> ProbeKind {
        var settings = self
        settings.port = try target.port(orIf: hasPort, port)
        if let hostname, tls.serverName == nil { settings.tls.serverName = hostname }
        return .tls(settings)
    }

    func attempt(_ context: AttemptContext, _ services: ProbeServices) -> any ProbeAttempt {
        StreamProbe(StreamPlan(port: port, startTLS: startTLS, tls: tls, dialogue: dialogue), context, services.tls)
    }
}
