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
    /// The name that this machine gives to a mail server; nil for its own.
    package var clientName: String?
    /// The steps of the dialogue; without steps, a completed handshake is a success.
    package var dialogue: [DialogueStep]

    /// Creates settings; everything has a default.
    package init(
        port: UInt16 = 443,
        tls: TLSSettings = TLSSettings(),
        startTLS: StartTLSProtocol? = nil,
        clientName: String? = nil,
        dialogue: [DialogueStep] = []
    ) {
        self.port = port
        self.tls = tls
        self.startTLS = startTLS
        self.clientName = clientName
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
        self.init(
            port: port,
            tls: tls,
            startTLS: startTLS,
            clientName: declaration.clientName(),
            dialogue: declaration.dialogue()
        )
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
        let plan = StreamPlan(
            port: port,
            startTLS: startTLS,
            clientName: clientName,
            tls: tls,
            dialogue: dialogue
        )
        return StreamProbe(plan, context, services.tls)
    }
}
