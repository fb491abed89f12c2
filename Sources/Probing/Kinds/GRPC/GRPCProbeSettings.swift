// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// A call of a gRPC server's health service, `grpc.health.v1.Health/Check`.
package struct GRPCProbeSettings: Sendable, Hashable {
    /// The port to connect to.
    package var port: UInt16
    /// The TLS settings; nil for plaintext.
    package var tls: TLSSettings?
    /// The service to check; "" is the server as a whole.
    package var service: String
    /// The metadata of the call.
    package var metadata: [HTTPHeader]
    /// The call's `:authority`; nil for the request's host and port.
    package var authority: String?

    /// Creates settings; everything but the port has a default.
    package init(
        port: UInt16,
        tls: TLSSettings? = nil,
        service: String = "",
        metadata: [HTTPHeader] = [],
        authority: String? = nil
    ) {
        self.port = port
        self.tls = tls
        self.service = service
        self.metadata = metadata
        self.authority = authority
    }
}

extension GRPCProbeSettings: ProbeSettings {
    static let description = ProbeKindDescription(
        "grpc",
        label: "gRPC",
        title: "the gRPC health service reports serving",
        schemes: ["grpc", "grpcs"],
        port: .needed,
        fields: [TLSSettings.field, HTTPFields.headers] + keys.fields(of: Self(port: 0)),
        expectations: ExpiryBounds.fields
    )

    private static let keys: [Setting<Self>] = [
        Setting(
            "service",
            \.service,
            .text(.line),
            example: "shop.Orders",
            synonyms: ["grpc_service"],
            "The service to check. Default: the server as a whole."
        ),
        Setting(
            "authority",
            \.authority,
            .text(.line),
            example: "orders.example.org",
            synonyms: ["host_header"],
            "The :authority of the call. Default: the target's host."
        ),
    ]

    init?(_ declaration: inout ProbeDeclaration) {
        guard let port = declaration.port() else { return nil }
        let tls = declaration.tls()
        self.init(
            port: port,
            tls: declaration.object.has("tls") ? tls : nil,
            metadata: declaration.headers()
        )
        Self.keys.read(declaration.object, into: &self)
    }

    var askedPort: UInt16? { port }
    var mayUseTLS: Bool { tls != nil }

    func asking(_ target: ProbeTarget, hasPort: Bool, hostname: String?) throws(ProbeTargetError) -> ProbeKind {
        var settings = self
        settings.port = try target.port(orIf: hasPort, port)
        if let hostname, tls?.serverName == nil { settings.tls?.serverName = hostname }
        return .grpc(settings)
    }

    func attempt(_ context: AttemptContext, _ services: ProbeServices) -> any ProbeAttempt {
        GRPCProbe(self, context, services.http)
    }
}
