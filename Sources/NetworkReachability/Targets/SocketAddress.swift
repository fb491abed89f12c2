// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import NetworkPaths

/// A socket address from text: `192.0.2.1`, `2001:db8::1`, `fe80::1%eth0`.
struct SocketAddress {
    private var storage = sockaddr_storage()

    /// - Returns: nil when the text is no literal address, or its scope names no interface of this machine.
    init?(_ text: String) {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        switch address.family {
        case .ipv4:
            guard parts.count == 1 else { return nil }
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            unsafe address.withNetworkBytes { bytes in
                unsafe withUnsafeMutableBytes(of: &four.sin_addr) { unsafe $0.copyMemory(from: bytes) }
            }
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: four, as: sockaddr_in.self) }
        case .ipv6:
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            if parts.count == 2 {
                let scope = String(parts[1])
                six.sin6_scope_id = if let index = UInt32(scope) { index } else { unsafe if_nametoindex(scope) }
                guard six.sin6_scope_id != 0 else { return nil }
            }
            unsafe address.withNetworkBytes { bytes in
                unsafe withUnsafeMutableBytes(of: &six.sin6_addr) { unsafe $0.copyMemory(from: bytes) }
            }
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: six, as: sockaddr_in6.self) }
        }
    }

    /// Lends the address to C.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }
}
