// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CMicroHTTPD
import Glibc

/// The client's address; converted to text on demand, which almost no request needs.
enum PeerAddress: Sendable, Hashable {
    case text(String)
    case unix
    /// An IPv4 client of a dual-stack socket has its IPv4 address.
    case internet(IPAddress, scope: UInt32 = 0, port: UInt16)

    /// Reads what ``description`` writes; other texts are kept.
    init(_ text: String) {
        let colon = text.lastIndex(of: ":") ?? text.endIndex
        let host = text[..<colon]
        let literal = host.hasPrefix("[") ? host.dropFirst().prefix { $0 != "]" && $0 != "%" } : host
        if text == Self.unix.description {
            self = .unix
        } else if let address = IPAddress(String(literal)), let port = UInt16(text[colon...].dropFirst()) {
            let scope = host.split(separator: "%").dropFirst().first.flatMap { UInt32($0.dropLast()) }
            self = .internet(address, scope: scope ?? 0, port: port)
        } else {
            self = .text(text)
        }
    }

    /// Reads a socket address; a family other than IPv4 and IPv6 is a unix socket.
    init(_ address: UnsafePointer<sockaddr>?) {
        guard let address = unsafe address else {
            self = .unix
            return
        }
        let raw = unsafe UnsafeRawPointer(address)
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            let value = unsafe raw.loadUnaligned(as: sockaddr_in.self)
            let address = IPAddress(ipv4: UInt32(bigEndian: value.sin_addr.s_addr))
            self = .internet(address, port: UInt16(bigEndian: value.sin_port))
        case AF_INET6:
            let value = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
            let address = unsafe withUnsafeBytes(of: value.sin6_addr) { unsafe IPAddress(networkBytes: $0) }
            self = .internet(
                (address ?? IPAddress(ipv6High: 0, low: 0)).unmapped,
                scope: value.sin6_scope_id,
                port: UInt16(bigEndian: value.sin6_port)
            )
        default:
            self = .unix
        }
    }

    /// `192.0.2.1`, `2001:db8::1%2` or `unix`: the description without port and brackets.
    var host: String {
        guard case .internet(let address, let scope, _) = self else { return description }
        return scope == 0 ? "\(address)" : "\(address)%\(scope)"
    }

    /// `192.0.2.1:4711`, `[2001:db8::1]:4711` or `unix`.
    var description: String {
        switch self {
        case .text(let text): text
        case .unix: "unix"
        case .internet(let address, _, let port): address.family == .ipv4 ? "\(host):\(port)" : "[\(host)]:\(port)"
        }
    }
}
