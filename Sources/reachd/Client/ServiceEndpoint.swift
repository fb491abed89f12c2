// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import NetworkPaths

/// Where a running service is found from its own machine.
enum ServiceEndpoint: CustomStringConvertible {
    case tcp(IPAddress, port: UInt16)
    case unix(path: String)

    /// Where a service that listens on an address can be reached from the same machine; nil when only the service manager
    /// knows.
    init?(_ address: ListenAddress) {
        switch address {
        case .tcp(let address, let port) where address.isUnspecified:
            self = .tcp(address.family == .ipv4 ? Self.loopback : IPAddress(ipv6High: 0, low: 1), port: port)
        case .tcp(let address, let port): self = .tcp(address, port: port)
        case .everywhere(let port): self = .tcp(Self.loopback, port: port)
        case .unix(let path): self = .unix(path: path)
        case .systemd: return nil
        }
    }

    private static let loopback = IPAddress(ipv4: 0x7f00_0001)

    var description: String {
        switch self {
        case .tcp(let address, let port): ListenAddress.tcp(address, port: port).description
        case .unix(let path): ListenAddress.unix(path: path).description
        }
    }
}
