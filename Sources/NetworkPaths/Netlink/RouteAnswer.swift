// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import LinuxIO

/// What the kernel answered to a ``RouteQuestion``.
struct RouteAnswer {
    /// One of several ways of a route.
    struct Hop {
        var interface: UInt32
        var gateway: IPAddress?
        var isDead: Bool
    }

    /// The positive `errno`, zero when there is a route.
    var error: Int32 = 0
    /// Whether the kernel explained the error: then the question was at fault.
    var errorHasText = false
    /// The route's type, `RTN_…`.
    var type: UInt8 = 0
    /// The index of the outgoing interface.
    var interface: UInt32 = 0
    var source: IPAddress?
    var gateway: IPAddress?
    /// Whether there is a gateway, a via or an encapsulation: then the target is not direct.
    var isIndirect = false
    /// The length of the matching prefix; of meaning only in table entries.
    var prefixLength: UInt8 = 0
    /// The metric: of several routes to a target the lowest is taken; of meaning only in table entries.
    var metric: UInt32 = 0
    /// The ways of a multipath table entry.
    var hops: [Hop] = []
    /// The next-hop object of a table entry, if that is all it says.
    var nextHopObject: UInt32?

    init(error: Int32, hasText: Bool = false) {
        self.error = error
        errorHasText = hasText
    }

    /// Reads an answer; nil for a message that is none.
    init?(_ message: NetlinkMessage) {
        if let failure = message.failure {
            self.init(error: failure.code, hasText: failure.hasText)
            return
        }
        guard message.type == Int(RTM_NEWROUTE), let route = message.payload.load(rtmsg.self) else { return nil }
        self.init(error: 0)
        type = route.rtm_type
        prefixLength = route.rtm_dst_len
        for attribute in NetlinkAttributes(message.payload, from: MemoryLayout<rtmsg>.size) {
            switch attribute.type {
            case Int(RTA_OIF.rawValue):
                interface = attribute.value.load(UInt32.self) ?? 0
            case Int(RTA_PRIORITY.rawValue):
                metric = attribute.value.load(UInt32.self) ?? 0
            case Int(RTA_PREFSRC.rawValue):
                source = attribute.value.address
            case Int(RTA_GATEWAY.rawValue):
                gateway = attribute.value.address
                isIndirect = true
            case Int(RTA_VIA.rawValue):
                gateway = Self.via(attribute.value)
                isIndirect = true
            case Int(RTA_ENCAP.rawValue):
                isIndirect = true
            case Int(RTA_MULTIPATH.rawValue):
                hops = Self.hops(attribute.value)
            case Int(RTA_NH_ID.rawValue):
                nextHopObject = attribute.value.load(UInt32.self)
            default:
                continue
            }
        }
    }

    /// `struct rtvia`: a family, then an address of it.
    private static func via(_ bytes: NetlinkBytes) -> IPAddress? {
        bytes.slice(from: 2, to: bytes.count).address
    }

    /// `struct rtnexthop`, each followed by its attributes.
    private static func hops(_ bytes: NetlinkBytes) -> [Hop] {
        var hops: [Hop] = []
        var offset = 0
        while let hop = bytes.load(rtnexthop.self, at: offset), hop.rtnh_len >= 8,
            offset + Int(hop.rtnh_len) <= bytes.count
        {
            let attributes = bytes.slice(from: offset + 8, to: offset + Int(hop.rtnh_len))
            var gateway: IPAddress?
            for attribute in NetlinkAttributes(attributes) {
                switch attribute.type {
                case Int(RTA_GATEWAY.rawValue): gateway = attribute.value.address
                case Int(RTA_VIA.rawValue): gateway = via(attribute.value)
                default: continue
                }
            }
            let isDead = hop.rtnh_flags & UInt8(RTNH_F_DEAD | RTNH_F_LINKDOWN) != 0
            hops.append(Hop(interface: UInt32(bitPattern: hop.rtnh_ifindex), gateway: gateway, isDead: isDead))
            offset += (Int(hop.rtnh_len) + 3) & ~3
        }
        return hops
    }
}

/// One question to the kernel's route look-up (`RTM_GETROUTE`).
struct RouteQuestion {
    var destination: IPAddress
    var source: IPAddress?
    /// The index of the interface that the packet must leave by; zero for any.
    var interface: UInt32 = 0
    var mark: UInt32?
    /// Whether to get the matching table entry instead of the route that a packet would take.
    var wantsTableEntry = false
}

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
