// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A kind of probe with its settings.
///
/// This file has the only lists of kinds. To add a kind, add a line to each of the four lists here, and a folder beside
/// this file with its settings, which conform to ``ProbeSettings``.
///
/// Indirect: a request then holds a reference to the settings instead of another kilobyte.
package indirect enum ProbeKind: Sendable, Hashable {
    /// A TCP connection, and a dialogue on it.
    case tcp(TCPProbeSettings)
    /// A datagram and its reply.
    case udp(UDPProbeSettings)
    /// A query to a name server.
    case dns(DNSProbeSettings)
    /// ICMP echo requests.
    case icmp(ICMPProbeSettings)
    /// A TLS handshake, and a dialogue after it.
    case tls(TLSProbeSettings)
    /// A request to an HTTP server.
    case http(HTTPProbeSettings)
    /// A call of a gRPC health service.
    case grpc(GRPCProbeSettings)
    /// A request to a time server.
    case ntp(NTPProbeSettings)

    /// Every kind, in the order of the documentation.
    package static let all: [ProbeKindType] = [
        ProbeKindType(Self.tcp), ProbeKindType(Self.udp), ProbeKindType(Self.dns), ProbeKindType(Self.icmp),
        ProbeKindType(Self.tls), ProbeKindType(Self.http), ProbeKindType(Self.grpc),
        ProbeKindType(Self.ntp),
    ]

    /// The settings' type, which describes the kind.
    private var type: any ProbeSettings.Type {
        switch self {
        case .tcp: TCPProbeSettings.self
        case .udp: UDPProbeSettings.self
        case .dns: DNSProbeSettings.self
        case .icmp: ICMPProbeSettings.self
        case .tls: TLSProbeSettings.self
        case .http: HTTPProbeSettings.self
        case .grpc: GRPCProbeSettings.self
        case .ntp: NTPProbeSettings.self
        }
    }

    /// The settings.
    var settings: any ProbeSettings {
        switch self {
        case .tcp(let settings): settings
        case .udp(let settings): settings
        case .dns(let settings): settings
        case .icmp(let settings): settings
        case .tls(let settings): settings
        case .http(let settings): settings
        case .grpc(let settings): settings
        case .ntp(let settings): settings
        }
    }
}

extension ProbeKind {
    /// The description of the kind.
    package var description: ProbeKindDescription { type.description }

    /// The kind's name in configuration, API and metrics: `tcp`, `http`, ….
    package var name: String { description.name }

    /// The probed port; nil where there is none.
    package var port: UInt16? { settings.askedPort }

    /// The kind's name in ``TargetPolicy``.
    package var policyKind: TargetPolicy.Kind { settings.policyKind }

    /// Whether the probe may use TLS.
    package var mayUseTLS: Bool { settings.mayUseTLS }

    /// Returns the kind with a name; nil for an unknown one.
    package static func named(_ name: String) -> ProbeKindType? { all.first { $0.description.name == name } }
}

/// A kind of probe without settings: its description, and the reader of its settings.
package struct ProbeKindType: Sendable {
    /// The description of the kind.
    package let description: ProbeKindDescription
    private let reading: @Sendable (inout ProbeDeclaration) -> ProbeKind?

    init<Settings: ProbeSettings>(_ kind: @escaping @Sendable (Settings) -> ProbeKind) {
        description = Settings.description
        reading = { Settings(&$0).map(kind) }
    }

    /// Reads the settings of a declaration.
    ///
    /// - Returns: nil when the declaration is invalid; it then contains the diagnostics.
    package func read(_ declaration: inout ProbeDeclaration) -> ProbeKind? { reading(&declaration) }
}
