// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import LinuxIO

/// The ends of IPv6 routes that have one, such as those of router advertisements.
///
/// The kernel stops using such a route at once and says so up to half a minute later (linux-paths 3.1). Look-ups do not
/// tell the lifetime of the route that they found; the routes themselves do.
enum RouteLifetime {
    /// The rest of a route's lifetime in nanoseconds, from its `RTA_CACHEINFO`; nil if it has none.
    static func rest(_ attribute: NetlinkAttributes.Element) -> UInt64? {
        guard attribute.type == Int(RTA_CACHEINFO.rawValue), let info = attribute.value.load(rta_cacheinfo.self),
            info.rta_expires > 0
        else { return nil }
        // Hundredths, rounded down: a tick later than the kernel's own clock a look finds the route gone.
        return (UInt64(info.rta_expires) + 2) * 10_000_000
    }

    /// The shortest rest among all IPv6 routes, in nanoseconds; nil if none has an end. Reads the whole table.
    static func soonest(from socket: NetlinkSocket) throws(SystemError) -> UInt64? {
        var header = rtmsg()
        header.rtm_family = AddressFamily.ipv6.rawValue
        var soonest: UInt64?
        try socket.dump(type: Int(RTM_GETROUTE), header: header, begin: { soonest = nil }) { message in
            guard message.type == Int(RTM_NEWROUTE) else { return }
            for attribute in NetlinkAttributes(message.payload, from: MemoryLayout<rtmsg>.size) {
                guard let rest = rest(attribute) else { continue }
                soonest = min(soonest ?? rest, rest)
            }
        }
        return soonest
    }
}
