// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Glibc

/// An IPv4 or IPv6 address with a port, as the socket calls take it.
package struct SocketAddress {
    private var storage = sockaddr_storage()
    private let length: socklen_t

    /// Creates an address; `scope` is the index of the interface that a link-local IPv6 address is on.
    package init(_ address: IPAddress, port: UInt16 = 0, scope: UInt32 = 0) {
        switch address.family {
        case .ipv4:
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = UInt32(address.high >> 32).bigEndian
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: name, as: sockaddr_in.self) }
        case .ipv6:
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            name.sin6_scope_id = scope
            unsafe withUnsafeMutableBytes(of: &name.sin6_addr) { target in
                unsafe address.withNetworkBytes { unsafe target.copyMemory(from: $0) }
            }
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: name, as: sockaddr_in6.self) }
        }
    }

    /// Reads `192.0.2.1`, `2001:db8::1`, `fe80::1%eth0` or `fe80::1%2`.
    ///
    /// - Returns: nil when the text is not a literal address, or its scope is not an interface of this machine.
    package init?(_ text: String) {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        var scope: UInt32 = 0
        if parts.count == 2 {
            let name = String(parts[1])
            scope = if let index = UInt32(name) { index } else { unsafe if_nametoindex(name) }
            guard address.family == .ipv6, scope != 0 else { return nil }
        }
        self.init(address, scope: scope)
    }

    /// Calls with the pointer, valid during the call, and the length.
    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }

    /// Calls with the bytes, valid during the call.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe withUnsafeBytes(of: storage) { unsafe body(UnsafeRawBufferPointer(rebasing: $0[..<Int(length)])) }
    }

    /// The address that a socket call wrote; nil for another family than the two.
    package static func address(in bytes: UnsafeRawBufferPointer) -> IPAddress? {
        guard bytes.count >= 2 else { return nil }
        switch Int32(unsafe bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where bytes.count >= 8:
            return unsafe IPAddress(networkBytes: UnsafeRawBufferPointer(rebasing: bytes[4..<8]))
        case AF_INET6 where bytes.count >= 24:
            return unsafe IPAddress(networkBytes: UnsafeRawBufferPointer(rebasing: bytes[8..<24]))
        default:
            return nil
        }
    }
}
