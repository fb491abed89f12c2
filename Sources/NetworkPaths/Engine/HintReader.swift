// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux

/// Reads rtnetlink messages into ``Hints``, keeping the link table up to date on the way (linux-paths section 6).
enum HintReader {
    static func read(_ message: NetlinkMessage, links: inout LinkTable, hints: inout Hints) {
        switch message.type {
        case Int(RTM_NEWLINK), Int(RTM_DELLINK):
            if let name = links.apply(message) { hints.addEverything(ChangeTrigger(.link, interface: name)) }
        case Int(RTM_NEWADDR), Int(RTM_DELADDR):
            address(message, links, &hints)
        case Int(RTM_NEWROUTE), Int(RTM_DELROUTE):
            route(message, links, &hints)
        case Int(RTM_NEWRULE), Int(RTM_DELRULE):
            family(message.payload.load(UInt8.self), ChangeTrigger(.rule), &hints)
        case Int(RTM_NEWNEXTHOP), Int(RTM_DELNEXTHOP):
            hints.add(family: .ipv4, ChangeTrigger(.nextHop))
            hints.add(family: .ipv6, ChangeTrigger(.nextHop))
        case Int(RTM_NEWNETCONF), Int(RTM_DELNETCONF):
            family(message.payload.load(UInt8.self), ChangeTrigger(.netconf), &hints)
        default:
            break
        }
    }

    private static func address(_ message: NetlinkMessage, _ links: LinkTable, _ hints: inout Hints) {
        guard let header = message.payload.load(ifaddrmsg.self) else { return }
        if message.type == Int(RTM_DELADDR) { hints.addLoss(interface: header.ifa_index) }
        family(header.ifa_family, ChangeTrigger(.address, interface: links[header.ifa_index]?.name), &hints)
    }

    private static func route(_ message: NetlinkMessage, _ links: LinkTable, _ hints: inout Hints) {
        guard let header = message.payload.load(rtmsg.self), let family = AddressFamily(rawValue: header.rtm_family),
            header.rtm_flags & UInt32(RTM_F_CLONED) == 0
        else { return }
        var destination: IPAddress?
        var interface: UInt32 = 0
        for attribute in NetlinkAttributes(message.payload, from: MemoryLayout<rtmsg>.size) {
            switch attribute.type {
            case Int(RTA_DST.rawValue): destination = attribute.value.address
            case Int(RTA_OIF.rawValue): interface = attribute.value.load(UInt32.self) ?? 0
            case Int(RTA_CACHEINFO.rawValue):
                guard let rest = RouteLifetime.rest(attribute) else { continue }
                hints.addLifetime(rest: rest)
            default: continue
            }
        }
        let trigger = ChangeTrigger(.route, interface: links[interface]?.name)
        if message.type == Int(RTM_DELROUTE) { hints.addLoss(interface: interface) }
        let unspecified = family == .ipv4 ? IPAddress(ipv4: 0) : IPAddress(ipv6High: 0, low: 0)
        let prefix = IPPrefix(destination ?? unspecified, length: Int(header.rtm_dst_len))
        hints.add(prefix: prefix, trigger)
    }

    private static func family(_ raw: UInt8?, _ trigger: ChangeTrigger, _ hints: inout Hints) {
        if let raw, let family = AddressFamily(rawValue: raw) {
            hints.add(family: family, trigger)
        } else {
            hints.addEverything(trigger)
        }
    }
}
