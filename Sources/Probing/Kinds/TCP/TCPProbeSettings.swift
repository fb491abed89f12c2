// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// A TCP connection, and an optional dialogue on it.
package struct TCPProbeSettings: Sendable, Hashable {
    /// The port to connect to.
    package var port: UInt16
    /// The point at which the connection switches to TLS; nil for never.
    package var startTLS: StartTLS?
    /// The steps of the dialogue; without steps, a connection is a success.
    package var dialogue: [DialogueStep]

    /// Creates settings.
    package init(port: UInt16, startTLS: StartTLS? = nil, dialogue: [DialogueStep] = []) {
        self.port = port
        self.startTLS = startTLS
        self.dialogue = dialogue
    }
}

extension TCPProbeSettings: ProbeSettings {
    static let description = ProbeKindDescription(
        "tcp",
        synonyms: ["connect"],
        title: "a port accepts connections",
        port: .needed,
        fields: StreamFields.all,
        expectations: ExpiryBounds.fields
    )

    init?(_ declaration: inout ProbeDeclaration) {
        guard let port = declaration.port() else { return nil }
        let tls = declaration.tls()
        let clientName = declaration.clientName()
        let startTLS = declaration.startTLS.map { StartTLS($0, tls: tls, clientName: clientName) }
        if startTLS == nil, declaration.object.has("tls") {
            let hint = "write type: tls, or add starttls"
            declaration.complain(.conflict, at: "tls", "tcp does not use TLS without starttls", hint: hint)
        }
        self.init(port: port, startTLS: startTLS, dialogue: declaration.dialogue())
    }

    var askedPort: UInt16? { port }
    var mayUseTLS: Bool { startTLS != nil }

    func asking(_ target: ProbeTarget, hasPort: Bool, hostname: String?) throws(ProbeTargetError) -> ProbeKind {
        var settings = self
        settings.port = try target.port(orIf: hasPort, port)
        if let hostname, startTLS?.tls.serverName == nil { settings.startTLS?.tls.serverName = hostname }
        return .tcp(settings)
    }

    func attempt(_ context: AttemptContext, _ services: ProbeServices) -> any ProbeAttempt {
        let plan = StreamPlan(
            port: port,
            startTLS: startTLS?.applicationProtocol,
            clientName: startTLS?.clientName,
            tls: startTLS?.tls,
            dialogue: dialogue
        )
        return StreamProbe(plan, context, services.tls)
    }
}
