// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a probe does, with its settings. A further kind is one case here and one file in `Kinds`.
///
/// Indirect: whoever keeps a request keeps a reference to these settings, and not another kilobyte.
public indirect enum ProbeKind: Sendable, Hashable {
    /// A TCP connection, and a dialogue on it.
    case tcp(TCPProbeSettings)
    /// A TLS handshake, and a dialogue after it.
    case tls(TLSProbeSettings)
    /// A datagram and its reply.
    case udp(UDPProbeSettings)
    /// A question to a name server.
    case dns(DNSProbeSettings)
    /// ICMP echo requests.
    case icmp(ICMPProbeSettings)
    /// A request to an HTTP server.
    case http(HTTPProbeSettings)
    /// A question to a gRPC health service.
    case grpc(GRPCProbeSettings)

    /// The kind's name in configuration, interface and metrics: `tcp`, `tls`, `udp`, `dns`, `icmp`, `http`, `grpc`.
    public var name: String {
        switch self {
        case .tcp: "tcp"
        case .tls: "tls"
        case .udp: "udp"
        case .dns: "dns"
        case .icmp: "icmp"
        case .http: "http"
        case .grpc: "grpc"
        }
    }
}
