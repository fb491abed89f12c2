// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// Whether this process may send ICMP echo requests, for the traits of tests that do outside of a namespace of their own.
package enum EchoRequests {
    /// Whether it may: by `net.ipv4.ping_group_range` or CAP_NET_RAW (icmp(7)).
    package static var areAllowed: Bool { obstacle == nil }

    /// Why it may not; nil when it may.
    package static let obstacle: String? = {
        for type in [SOCK_DGRAM, SOCK_RAW] {
            let number = socket(AF_INET, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), Int32(IPPROTO_ICMP))
            if number >= 0 {
                close(number)
                return nil
            }
        }
        return "needs ICMP echo requests: the group is not in net.ipv4.ping_group_range, and there is no CAP_NET_RAW"
    }()
}
