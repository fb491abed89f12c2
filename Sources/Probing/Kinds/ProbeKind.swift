// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a probe does, with its settings.
///
/// This file is the only list of kinds. A further kind is a line in each of the four lists here, and a folder beside this file
/// with its settings, which conform to ``ProbeSettings``.
///
/// Indirect: whoever keeps a request keeps a reference to these settings, and not another kilobyte.
package indirect enum ProbeKind: Sendable, Hashable {
    /// A TCP connection, and a dialogue on it.
    case tcp(TCPProbeSettings)
    /// A datagram and its reply.
    case udp(UDPProbeSettings)
    /// A question to a name server.
    case dns(DNSProbeSettings)
    /// ICMP echo requests.
    case icmp(ICMPProbeSettings)
    /// A TLS handshake, and a dialogue after it.
    case tls(TLSProbeSettings)
    /// A request to an HTTP server.
    case http(HTTPProbeSettings)
    /// A question to a gRPC health service.
    case grpc(GRPCProbeSettings)
    /// A question to a time server.
    case ntp(NTPProbeSettings)

    /// Every kind, in the order of the documentation.
    package static let all: [ProbeKindType] = [
        ProbeKindType(Self.tcp), ProbeKindType(Self.udp), ProbeKindType(Self.dns), ProbeKindType(Self.icmp),
        ProbeKindType(Self.tls), ProbeKindType(Self.http), ProbeKindType(Self.grpc),
        ProbeKindType(Self.ntp),
    ]

    /// The settings' type, which says what holds for all of the kind.
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
    /// What the kind says of itself.
    package var description: ProbeKindDescription { type.description }

    /// The kind's name in configuration, interface and metrics: `tcp`, `http`, ….
    package var name: String { description.name }

    /// The port that is asked; nil where there is none.
    package var port: UInt16? { settings.askedPort }

    /// The name that ``TargetPolicy`` has for it.
    package var policyKind: TargetPolicy.Kind { settings.policyKind }

    /// Whether TLS may be spoken with what is asked.
    package var mayUseTLS: Bool { settings.mayUseTLS }

    /// The kind of a name; nil for an unknown one.
    package static func named(_ name: String) -> ProbeKindType? { all.first { $0.description.name == name } }
}

/// A kind of probe without settings: what it says of itself, and how its settings are read.
package struct ProbeKindType: Sendable {
    /// What the kind says of itself.
    package let description: ProbeKindDescription
    private let reading: @Sendable (inout ProbeDeclaration) -> ProbeKind?

    init<Settings: ProbeSettings>(_ kind: @escaping @Sendable (Settings) -> ProbeKind) {
        description = Settings.description
        reading = { Settings(&$0).map(kind) }
    }

    /// Reads the settings of a declaration.
    ///
    /// - Returns: nil when something was wrong; the declaration has the complaints.
    package func read(_ declaration: inout ProbeDeclaration) -> ProbeKind? { reading(&declaration) }
}
