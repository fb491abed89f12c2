// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import NetworkPaths

/// Where a running service is asked.
enum HealthEndpoint: CustomStringConvertible {
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

    /// Reads `http://127.0.0.1:7532`, `http://[::1]:7532`, `http://localhost:7532` or `unix:/run/reachd.sock`.
    init(url: String) throws(HealthFailure) {
        var text = url[...]
        let isHTTP = text.hasPrefix("http://")
        if isHTTP { text = text.dropFirst(7) }
        if isHTTP, text.hasSuffix("/") { text = text.dropLast() }
        guard let address = ListenAddress(String(text)), let endpoint = HealthEndpoint(address) else {
            throw HealthFailure("--url is neither http://ADDRESS:PORT nor unix:/PATH")
        }
        self = endpoint
    }

    private static let loopback = IPAddress(ipv4: 0x7f00_0001)

    var description: String {
        switch self {
        case .tcp(let address, let port): ListenAddress.tcp(address, port: port).description
        case .unix(let path): ListenAddress.unix(path: path).description
        }
    }
}
