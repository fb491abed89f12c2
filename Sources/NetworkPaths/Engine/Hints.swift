// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import LinuxIO

/// What netlink messages said might have changed: which targets to ask about again, and why (L5: never more than a
/// hint).
struct Hints {
    /// More prefixes than this are not distinguished; the whole family is evaluated.
    static let maximumPrefixes = 256

    /// All targets may be affected.
    private(set) var everything = false
    /// All targets of these families may be affected.
    private(set) var families: Set<AddressFamily> = []
    /// Targets inside these blocks may be affected.
    private(set) var prefixes: Set<IPPrefix> = []
    /// The interfaces by which routes or addresses went: perhaps because the link is going.
    private(set) var losingInterfaces: Set<UInt32> = []
    /// The shortest rest of a lifetime among the routes that were announced, in nanoseconds.
    private(set) var soonestEnd: UInt64?
    /// The weightiest cause.
    private(set) var trigger: ChangeTrigger?

    var isEmpty: Bool { !everything && families.isEmpty && prefixes.isEmpty }

    mutating func addEverything(_ trigger: ChangeTrigger) {
        everything = true
        families = []
        prefixes = []
        add(trigger)
    }

    mutating func add(family: AddressFamily, _ trigger: ChangeTrigger) {
        add(trigger)
        guard !everything, families.insert(family).inserted else { return }
        prefixes = prefixes.filter { $0.address.family != family }
    }

    mutating func add(prefix: IPPrefix, _ trigger: ChangeTrigger) {
        add(trigger)
        guard !everything, !families.contains(prefix.address.family) else { return }
        // A default route, or half of one, touches nearly everything.
        guard prefix.length >= 2, prefixes.count < Self.maximumPrefixes else {
            add(family: prefix.address.family, trigger)
            return
        }
        prefixes.insert(prefix)
    }

    mutating func addLoss(interface: UInt32) {
        guard interface != 0, losingInterfaces.count < 64 else { return }
        losingInterfaces.insert(interface)
    }

    mutating func addLifetime(rest: UInt64) {
        soonestEnd = min(soonestEnd ?? rest, rest)
    }

    /// The shortest rest, once.
    mutating func takeSoonestEnd() -> UInt64? {
        defer { soonestEnd = nil }
        return soonestEnd
    }

    mutating func formUnion(_ other: Hints) {
        if other.everything {
            everything = true
            families = []
            prefixes = []
        }
        if let trigger = other.trigger { add(trigger) }
        guard let trigger else { return }
        for family in other.families { add(family: family, trigger) }
        for prefix in other.prefixes { add(prefix: prefix, trigger) }
        for interface in other.losingInterfaces { addLoss(interface: interface) }
    }

    /// Whether any target of a family may be affected as a whole.
    func covers(_ family: AddressFamily) -> Bool { everything || families.contains(family) }

    private mutating func add(_ new: ChangeTrigger) {
        if let trigger, !new.isWeightier(than: trigger) { return }
        trigger = new
    }
}

extension ChangeTrigger {
    /// A link that goes takes addresses with it, and those their routes: the first cause is the one to name.
    func isWeightier(than other: ChangeTrigger) -> Bool { kind.weight > other.kind.weight }
}

extension ChangeTrigger.Kind {
    fileprivate var weight: Int {
        switch self {
        case .settings: 9
        case .overrun: 8
        case .link: 7
        case .address: 6
        case .nextHop: 5
        case .rule: 4
        case .netconf: 3
        case .resolver: 3
        case .routeExpiry: 2
        case .route: 1
        case .resolution, .initial: 0
        }
    }
}

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
