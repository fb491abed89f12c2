// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import NetworkPaths

/// Where a running service is found from its own machine.
enum ServiceEndpoint: CustomStringConvertible {
    case tcp(IPAddress, port: UInt16)
    case unix(path: String)

    /// Where a service that listens on an address can be reached from the same machine; nil for a host that is no
    /// address.
    init?(_ address: ListenAddress) {
        switch address {
        case .tcp(host: "*", let port): self = .tcp(Self.loopback, port: port)
        case .tcp(let host, let port):
            guard let address = IPAddress(host) else { return nil }
            let loopback = address.family == .ipv4 ? Self.loopback : IPAddress(ipv6High: 0, low: 1)
            self = .tcp(address.isUnspecified ? loopback : address, port: port)
        case .unix(let path, _): self = .unix(path: path)
        }
    }

    private static let loopback = IPAddress(ipv4: 0x7f00_0001)

    var description: String {
        switch self {
        case .tcp(let address, let port): ListenAddress.tcp(host: "\(address)", port: port).description
        case .unix(let path): "unix:\(path)"
        }
    }
}
