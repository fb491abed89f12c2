// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc
internal import LinuxIO

/// The subscribed rtnetlink socket: ten groups, no capability needed (linux-paths 3.1).
final class EventSocket {
    let socket: NetlinkSocket
    let receiveBuffer: Int
    let groups: [UInt32]

    /// The names of ``groups``, in lower case.
    static var groupNames: [String] { wanted.map { $0.name.lowercased() } }

    private static let wanted: [(number: rtnetlink_groups, name: String)] = [
        (RTNLGRP_LINK, "LINK"), (RTNLGRP_IPV4_IFADDR, "IPV4_IFADDR"), (RTNLGRP_IPV6_IFADDR, "IPV6_IFADDR"),
        (RTNLGRP_IPV4_ROUTE, "IPV4_ROUTE"), (RTNLGRP_IPV6_ROUTE, "IPV6_ROUTE"), (RTNLGRP_IPV4_RULE, "IPV4_RULE"),
        (RTNLGRP_IPV6_RULE, "IPV6_RULE"), (RTNLGRP_NEXTHOP, "NEXTHOP"), (RTNLGRP_IPV4_NETCONF, "IPV4_NETCONF"),
        (RTNLGRP_IPV6_NETCONF, "IPV6_NETCONF"),
    ]

    /// Opens the socket and joins the groups one by one, so that a refusal names itself.
    init(receiveBuffer wantedBuffer: Int) throws(PathEngineError) {
        do {
            socket = try NetlinkSocket()
        } catch {
            throw PathEngineError.netlinkRefused(error)
        }
        receiveBuffer = socket.setReceiveBuffer(wantedBuffer)
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        let number = socket.descriptor.number
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(number, address, socklen_t(MemoryLayout<sockaddr_nl>.size)) == 0
            }
        }
        guard isBound else { throw PathEngineError.eventsUnavailable(group: "bind", code: errno) }
        var joined: [UInt32] = []
        for group in Self.wanted {
            guard socket.set(NETLINK_ADD_MEMBERSHIP, Int32(group.number.rawValue)) else {
                throw PathEngineError.eventsUnavailable(group: group.name, code: errno)
            }
            joined.append(UInt32(group.number.rawValue))
        }
        groups = joined
    }
}
