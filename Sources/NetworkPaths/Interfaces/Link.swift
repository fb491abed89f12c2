// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import LinuxIO

/// A link as netlink describes it, with what the rules make of it.
struct Link {
    var index: UInt32
    var name: String
    var alternativeNames: [String] = []
    /// `ARPHRD_…`
    var hardwareType: UInt16 = 0
    /// `IFF_…`
    var flags: UInt32 = 0
    /// `IF_OPER_…`, zero being unknown.
    var operationalState: UInt8 = 0
    /// The rtnetlink kind, empty for hardware.
    var kind = ""
    var hardwareAddress = ""
    /// The index of the link beneath a vlan, macvlan or ipvlan, or that a tunnel is bound to, if it is in this namespace.
    var lower: UInt32?
    /// The address that a tunnel sends its packets to, where the kernel knows one; never a group of listeners.
    var tunnelRemote: IPAddress?

    // What the rules make of it.
    var type = InterfaceType.other
    var declaredExpensive: Bool?
    var isConstrained = false
    var isIgnored = false
    var ignoresCarrierLoss = false
    /// Whether it is a tunnel whose packets leave by a modem (R45); the engine finds out at each pass.
    var isCarriedByModem = false

    /// Whether paths through it are expensive: by rule, else when they lead through a modem.
    var isExpensive: Bool { declaredExpensive ?? leadsThroughModem }

    /// Whether packets reach the network through a modem, directly or inside a tunnel.
    var leadsThroughModem: Bool { type == .cellular || isCarriedByModem }

    /// Whether it is administratively up.
    var isUp: Bool { flags & UInt32(IFF_UP.rawValue) != 0 }

    /// Whether it has carrier: operationally up, or unknown with a lower layer that is up and not dormant
    /// (linux-paths 4.2, row 10).
    var hasCarrier: Bool {
        switch Int(operationalState) {
        case 6: true  // IF_OPER_UP
        case 0:  // IF_OPER_UNKNOWN
            flags & UInt32(IFF_LOWER_UP.rawValue) != 0 && !isDormant
        default: false
        }
    }

    /// Whether it has carrier and waits, for its user to authenticate for instance (802.1X).
    var isDormant: Bool {
        flags & UInt32(IFF_DORMANT.rawValue) != 0 || operationalState == 5  // IF_OPER_DORMANT
    }

    /// Whether packets can leave by it.
    var isLive: Bool { isUp && (hasCarrier || ignoresCarrierLoss) }

    var isPointToPoint: Bool { flags & UInt32(IFF_POINTOPOINT.rawValue) != 0 }

    var isLoopback: Bool { flags & UInt32(IFF_LOOPBACK.rawValue) != 0 }

    /// Whether the difference to another state of the same link can change a verdict.
    func isRelevantChange(from other: Link) -> Bool {
        isUp != other.isUp || isLive != other.isLive || isDormant != other.isDormant
            || isPointToPoint != other.isPointToPoint || name != other.name
            || type != other.type || isExpensive != other.isExpensive || isConstrained != other.isConstrained
            || isIgnored != other.isIgnored || tunnelRemote != other.tunnelRemote || lower != other.lower
    }

    /// Reads `RTM_NEWLINK` or `RTM_DELLINK`; nil for messages that say nothing of a link as such: those of a bridge's
    /// ports, and wireless-extension events, which would erase what is known (linux-paths 3.1).
    init?(_ message: NetlinkMessage) {
        guard let header = message.payload.load(ifinfomsg.self), header.ifi_family != UInt8(AF_BRIDGE) else {
            return nil
        }
        self.init(index: UInt32(bitPattern: header.ifi_index), name: "")
        hardwareType = header.ifi_type
        flags = header.ifi_flags
        var isForeign = false
        for attribute in NetlinkAttributes(message.payload, from: MemoryLayout<ifinfomsg>.size) {
            switch attribute.type {
            case Int(IFLA_IFNAME): name = attribute.value.text
            case Int(IFLA_OPERSTATE): operationalState = attribute.value.load(UInt8.self) ?? 0
            case Int(IFLA_ADDRESS): hardwareAddress = attribute.value.hexadecimal
            case Int(IFLA_LINK): lower = attribute.value.load(UInt32.self)
            case Int(IFLA_LINK_NETNSID): isForeign = true
            case Int(IFLA_WIRELESS): return nil
            case Int(IFLA_LINKINFO):
                var data: NetlinkBytes?
                for info in NetlinkAttributes(attribute.value) {
                    switch info.type {
                    case Int(IFLA_INFO_KIND): kind = info.value.text
                    case Int(IFLA_INFO_DATA): data = info.value
                    default: continue
                    }
                }
                tunnelRemote = data.flatMap { Self.tunnelRemote($0, kind: kind) }
            case Int(IFLA_PROP_LIST):
                for property in NetlinkAttributes(attribute.value)
                where property.type == Int(IFLA_ALT_IFNAME) {
                    alternativeNames.append(property.value.text)
                }
            default: continue
            }
        }
        if isForeign || lower == 0 { lower = nil }
    }

    /// The far end in a tunnel's own attributes, whose numbers each kind of link gives anew (`if_link.h`, `if_tunnel.h`).
    private static func tunnelRemote(_ data: NetlinkBytes, kind: String) -> IPAddress? {
        let types: [Int]
        switch kind {
        case "ipip", "sit", "ip6tnl": types = [3]  // IFLA_IPTUN_REMOTE
        case "gre", "gretap", "erspan", "ip6gre", "ip6gretap", "ip6erspan": types = [7]  // IFLA_GRE_REMOTE
        case "vti", "vti6": types = [5]  // IFLA_VTI_REMOTE
        case "vxlan": types = [2, 16]  // IFLA_VXLAN_GROUP, IFLA_VXLAN_GROUP6
        case "geneve": types = [2, 7]  // IFLA_GENEVE_REMOTE, IFLA_GENEVE_REMOTE6
        default: return nil
        }
        for attribute in NetlinkAttributes(data) where types.contains(attribute.type) {
            if let address = attribute.value.address, !address.isUnspecified, !address.isMulticast { return address }
        }
        return nil
    }

    init(index: UInt32, name: String) {
        self.index = index
        self.name = name
    }
}
