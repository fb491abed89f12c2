// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
internal import NetworkPaths

/// Addresses with their interfaces, read from a `sockaddr` or from a literal.
extension ScopedAddress {
    /// Reads a socket address of the internet families (R42). Linux has no length in it: what the family promises must
    /// be there.
    init?(_ pointer: UnsafePointer<sockaddr>) {
        // Bytewise: a client's pointer may come from a buffer of any alignment.
        let bytes = unsafe UnsafeRawPointer(pointer)
        switch Int32(unsafe bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET:
            let four = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
            self.init(IPAddress(ipv4: UInt32(bigEndian: four.sin_addr.s_addr)))
        case AF_INET6:
            var six = unsafe bytes.loadUnaligned(as: sockaddr_in6.self)
            let read = unsafe withUnsafeBytes(of: &six.sin6_addr) { unsafe IPAddress(networkBytes: $0) }
            guard let read else { return nil }
            let name = six.sin6_scope_id == 0 ? nil : Self.interfaceName(six.sin6_scope_id)
            guard name != nil || six.sin6_scope_id == 0 else { return nil }
            self.init(read.unmapped, interface: name)
        default:
            return nil
        }
    }

    /// Reads `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`.
    init?(literal text: String) {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let read = IPAddress(String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(read)
            return
        }
        guard read.family == .ipv6, !parts[1].isEmpty else { return nil }
        let scope = String(parts[1])
        self.init(read, interface: UInt32(scope).flatMap(Self.interfaceName) ?? scope)
    }

    private static func interfaceName(_ index: UInt32) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
            guard let base = buffer.baseAddress, unsafe if_indextoname(index, base) != nil else { return nil }
            return unsafe String(cString: base)
        }
    }
}

extension PathTarget {
    /// The target of a single address: a zero one is the default path of any family (R41).
    init(_ address: ScopedAddress) {
        self =
            address.address.isUnspecified
            ? .defaultPath(interface: address.interface) : .address(address.address, interface: address.interface)
    }

    /// The target of a pair (R43); nil with neither side (R42), or with sides of different families, between which no packet
    /// can be sent.
    init?(local: ScopedAddress?, remote: ScopedAddress?) {
        switch (local, remote) {
        case (nil, nil):
            return nil
        case (nil, let remote?):
            // Unlike the single address, a zero remote stands for its own family's default route here (R41).
            self =
                remote.address.isUnspecified
                ? .defaultPath(family: remote.address.family, interface: remote.interface) : PathTarget(remote)
        case (let local?, let remote?)
        where local.address.family == .ipv4 && local.address.isLoopback
            && !(remote.address.family == .ipv4 && remote.address.isLoopback):
            // As on a Mac, such a source is ignored and the rest is a single address (linux-paths 4.1).
            self = PathTarget(remote)
        case (let local?, let remote?) where local.address.family != remote.address.family:
            return nil
        case (let local?, let remote):
            self = .pair(local: local.address, remote: remote?.address)
        }
    }
}
