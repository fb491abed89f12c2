// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

extension IPAddress {
    /// The IPv4 addresses that a translator or tunnel may extract from this IPv6 address. Prefixes that only one
    /// network knows, such as its own NAT64 prefix (RFC 6052, section 2.2), are not covered.
    var embeddedIPv4: [IPAddress] {
        guard family == .ipv6 else { return [] }
        let last = UInt32(truncatingIfNeeded: low)
        var found: [UInt32] = []
        switch (high, low >> 32) {
        // IPv4-compatible (RFC 4291, section 2.5.5.1), except for :: and ::1.
        case (0, 0) where last > 1: found.append(last)
        // IPv4-mapped, and IPv4-translated (RFC 2765, section 2.1).
        case (0, 0xffff), (0, 0xffff_0000): found.append(last)
        // NAT64's well-known prefix (RFC 6052, section 2.1).
        case (0x0064_ff9b_0000_0000, 0): found.append(last)
        default: break
        }
        // NAT64's local-use prefix, which can have any prefix length (RFC 8215; RFC 6052, section 2.2).
        if high >> 16 == 0x0064_ff9b_0001 {
            let middle = UInt32(truncatingIfNeeded: high & 0xffff)
            if middle == 0, low >> 32 == 0 {
                found.append(last)
            } else {
                found.append(middle << 16 | UInt32(truncatingIfNeeded: low >> 40) & 0xffff)
                found.append((middle & 0xff) << 24 | UInt32(truncatingIfNeeded: low >> 32) & 0xff_ffff)
                found.append(UInt32(truncatingIfNeeded: low >> 24))
            }
        }
        // 6to4 (RFC 3056, section 2).
        if high >> 48 == 0x2002 { found.append(UInt32(truncatingIfNeeded: high >> 16)) }
        // Teredo: the server, and the inverted client address (RFC 4380, section 4).
        if high >> 32 == 0x2001_0000 { found += [UInt32(truncatingIfNeeded: high), ~last] }
        // ISATAP, below any prefix (RFC 5214, section 6.1).
        if low >> 32 & 0xfdff_ffff == 0x5efe { found.append(last) }
        return found.map { IPAddress(ipv4: $0) }
    }
}
