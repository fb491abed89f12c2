// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import FoundationEssentials
internal import NetworkPaths

/// An end of a connection: Apple's `NWEndpoint`, without `opaque`, which wraps an object of Apple's C interface.
public enum NWEndpoint: Sendable, Hashable {
    /// A host with a port.
    case hostPort(host: Host, port: Port)
    /// A service of Bonjour.
    case service(name: String, type: String, domain: String, interface: NWInterface?)
    /// A unix socket.
    case unix(path: String)
    /// A URL.
    case url(URL)

    /// The interface that the end is bound to; nil for none.
    public var interface: NWInterface? {
        switch self {
        case .hostPort(let host, _): host.interface
        case .service(_, _, _, let interface): interface
        case .unix, .url: nil
        }
    }
}

extension NWEndpoint {
    /// A gateway, with port 0. An IPv6 address of a link means a host only together with the interface.
    init(_ address: NetworkPaths.IPAddress, by interface: NetworkInterface) {
        let host: Host =
            switch address.family {
            case .ipv4: .ipv4(IPv4Address(address, nil))
            case .ipv6: .ipv6(IPv6Address(address, address.needsInterface ? NWInterface(interface) : nil))
            }
        self = .hostPort(host: host, port: .any)
    }
}

extension NWEndpoint: CustomDebugStringConvertible {
    /// `192.0.2.1:443`, `2001:db8::1.443`, `name._type.domain`, a path or a URL.
    public var debugDescription: String {
        switch self {
        case .hostPort(.ipv6(let address), let port): "\(address.debugDescription).\(port.debugDescription)"
        case .hostPort(let host, let port): "\(host.debugDescription):\(port.debugDescription)"
        case .service(let name, let type, let domain, _): "\(name).\(type).\(domain)"
        case .unix(let path): path
        case .url(let url): url.absoluteString
        }
    }
}
