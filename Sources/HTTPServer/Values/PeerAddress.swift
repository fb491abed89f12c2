// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import Glibc

/// The client's address; converted to text on demand, which almost no request needs.
enum PeerAddress: Sendable, Hashable {
    case text(String)
    case ipv4(address: UInt32, port: UInt16)
    case ipv6(high: UInt64, low: UInt64, scope: UInt32, port: UInt16)

    /// Reads a socket address; a family other than IPv4 and IPv6 is a unix socket.
    init(_ address: UnsafePointer<sockaddr>?) {
        guard let address = unsafe address else {
            self = .text("unix")
            return
        }
        let raw = unsafe UnsafeRawPointer(address)
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            let value = unsafe raw.loadUnaligned(as: sockaddr_in.self)
            self = .ipv4(address: UInt32(bigEndian: value.sin_addr.s_addr), port: UInt16(bigEndian: value.sin_port))
        case AF_INET6:
            let value = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
            let (high, low) = unsafe withUnsafeBytes(of: value.sin6_addr) { bytes in
                (
                    UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                    UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                )
            }
            let port = UInt16(bigEndian: value.sin6_port)
            // An IPv4 client of a dual-stack socket.
            if high == 0, low >> 32 == 0xffff {
                self = .ipv4(address: UInt32(truncatingIfNeeded: low), port: port)
            } else {
                self = .ipv6(high: high, low: low, scope: value.sin6_scope_id, port: port)
            }
        default:
            self = .text("unix")
        }
    }

    /// `192.0.2.1`, `2001:db8::1%2` or `unix`: the description without port and brackets.
    var host: String {
        let text = description
        guard let colon = text.lastIndex(of: ":") else { return text }
        let host = text[..<colon]
        return host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host)
    }

    /// `192.0.2.1:4711`, `[2001:db8::1]:4711` or `unix`.
    var description: String {
        switch self {
        case .text(let text):
            return text
        case .ipv4(let address, let port):
            return "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255):\(port)"
        case .ipv6(let high, let low, let scope, let port):
            var bytes = (high.bigEndian, low.bigEndian)
            let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
                guard
                    let base = buffer.baseAddress,
                    let text = unsafe inet_ntop(AF_INET6, &bytes, base, socklen_t(buffer.count))
                else { return "?" }
                return unsafe String(cString: text)
            }
            return scope == 0 ? "[\(text)]:\(port)" : "[\(text)%\(scope)]:\(port)"
        }
    }
}
