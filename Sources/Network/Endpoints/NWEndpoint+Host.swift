// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension NWEndpoint {
    /// A host by name or address: Apple's `NWEndpoint.Host`.
    public enum Host: Sendable, Hashable, ExpressibleByStringLiteral {
        /// A name, to be resolved by one interface if given.
        case name(String, NWInterface?)
        /// An IPv4 address.
        case ipv4(IPv4Address)
        /// An IPv6 address.
        case ipv6(IPv6Address)

        /// Reads an address or else takes the text as a name.
        public init(_ string: String) {
            if let address = IPv4Address(string) {
                self = .ipv4(address)
            } else if let address = IPv6Address(string) {
                self = .ipv6(address)
            } else {
                self = .name(string, nil)
            }
        }

        /// Reads an address or else takes the text as a name.
        public init(stringLiteral: String) {
            self.init(stringLiteral)
        }

        /// The interface that the host is bound to; nil for none.
        public var interface: NWInterface? {
            switch self {
            case .name(_, let interface): interface
            case .ipv4(let address): address.interface
            case .ipv6(let address): address.interface
            }
        }
    }
}

extension NWEndpoint.Host: CustomDebugStringConvertible {
    /// The name or the address, with `%` and the interface where there is one.
    public var debugDescription: String {
        switch self {
        case .name(let name, let interface): interface.map { "\(name)%\($0.name)" } ?? name
        case .ipv4(let address): address.debugDescription
        case .ipv6(let address): address.debugDescription
        }
    }
}
