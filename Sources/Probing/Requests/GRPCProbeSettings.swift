// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A question to a gRPC server's health service, `grpc.health.v1.Health/Check`.
public struct GRPCProbeSettings: Sendable, Hashable {
    /// The port to connect to.
    public var port: UInt16
    /// How TLS is spoken; nil for none.
    public var tls: TLSSettings?
    /// The service to ask about; "" is the server as a whole.
    public var service: String
    /// Headers of the call.
    public var metadata: [HTTPHeader]
    /// The host that the call is for; nil for the request's host and the port.
    public var authority: String?

    /// Creates settings; everything but the port has a default.
    public init(
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
