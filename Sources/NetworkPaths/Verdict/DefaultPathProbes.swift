// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The addresses by which a family's default path is found: spread over the address space, so that halves of it in
/// different routes (OpenVPN's 0/1 and 128/1) and policy rules are seen. Nothing is ever sent to them.
enum DefaultPathProbes {
    static let ipv4 = [0x0808_0808, 0xd043_dede, 0x0101_0101, 0xc100_0e81, 0x5db8_d822, 0x8efb_0001]
        .map { IPAddress(ipv4: $0) }

    static let ipv6 = [
        (0x2001_4860_4860_0000, 0x8888), (0x2606_4700_4700_0000, 0x1111), (0x2a00_1450_4001_0800, 0x2003),
        (0x3fff_0f00_0000_0000, 0x0001),
    ].map { IPAddress(ipv6High: $0.0, low: $0.1) }

    /// The probes of a family.
    static func addresses(_ family: AddressFamily) -> [IPAddress] {
        family == .ipv4 ? ipv4 : ipv6
    }

    /// The longest prefix that still counts as a default route.
    static func longestPrefix(_ family: AddressFamily) -> UInt8 {
        family == .ipv4 ? 1 : 3
    }
}
