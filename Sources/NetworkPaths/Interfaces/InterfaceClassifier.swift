// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Says what type a link is: the user's rules first, then the facts, in the order of linux-paths section 5.
struct InterfaceClassifier {
    let rules: [InterfaceRule]
    let sysfs: Sysfs

    /// Fills in the type and the other marks of a link.
    ///
    /// - Parameter lowerType: Gives the type of the link with an index, for links that stand on another.
    func classify(_ link: inout Link, lowerType: (UInt32) -> InterfaceType?) {
        var type: InterfaceType?
        var isExpensive: Bool?
        var isConstrained: Bool?
        var isIgnored = false
        var ignoresCarrierLoss = false
        for rule in rules where matches(rule, link) {
            type = rule.type
            isExpensive = rule.isExpensive
            isConstrained = rule.isConstrained
            isIgnored = rule.isIgnored
            ignoresCarrierLoss = rule.ignoresCarrierLoss
            break
        }
        link.type = type ?? Self.factual(link, sysfs: sysfs, lowerType: lowerType)
        link.declaredExpensive = isExpensive
        link.isConstrained = isConstrained ?? false
        link.isIgnored = isIgnored
        link.ignoresCarrierLoss = ignoresCarrierLoss
    }

    private func matches(_ rule: InterfaceRule, _ link: Link) -> Bool {
        rule.patterns.contains { pattern in
            switch pattern.subject {
            case .name:
                Glob.matches(pattern.glob, link.name)
                    || link.alternativeNames.contains { Glob.matches(pattern.glob, $0) }
            case .altname: link.alternativeNames.contains { Glob.matches(pattern.glob, $0) }
            case .kind: Glob.matches(pattern.glob, link.kind)
            case .driver: sysfs.driver(of: link).map { Glob.matches(pattern.glob, $0) } ?? false
            case .mac: Glob.matches(pattern.glob, link.hardwareAddress)
            }
        }
    }

    private static func factual(
        _ link: Link,
        sysfs: Sysfs,
        lowerType: (UInt32) -> InterfaceType?
    ) -> InterfaceType {
        if link.isLoopback { return .loopback }
        if let type = byKind(link.kind) { return type }
        if let type = sysfs.type(of: link) { return type }
        if standsOnAnother.contains(link.kind), let lower = link.lower, let type = lowerType(lower) { return type }
        if ["dummy", "ifb", "nlmon"].contains(link.kind) { return .other }
        return byHardware(link)
    }

    private static let standsOnAnother: Set<String> = ["vlan", "macvlan", "ipvlan", "macvtap", "ipvtap"]

    private static let tunnelKinds: Set<String> = [
        "tun", "wireguard", "ovpn", "ovpn-dco", "ipip", "sit", "vxlan", "geneve", "bareudp", "gtp", "l2tpeth", "ppp",
        "xfrm",
    ]

    private static func byKind(_ kind: String) -> InterfaceType? {
        if tunnelKinds.contains(kind) { return .tunnel }
        if kind.hasPrefix("gre") || kind.hasPrefix("ip6") || kind.hasPrefix("vti") { return .tunnel }
        if kind == "erspan" { return .tunnel }
        return kind == "wwan" || kind == "rmnet" ? .cellular : nil
    }

    /// By `ARPHRD_…` of `if_arp.h`, and by the names that modem drivers give to Ethernet-like links.
    private static func byHardware(_ link: Link) -> InterfaceType {
        switch link.hardwareType {
        case 519, 530: .cellular  // RAWIP, PHONET_PIPE-like modem links
        case 512, 768, 769, 776, 778, 823, 65534: .tunnel  // PPP, tunnels, GRE, none
        case 801...803: .wifi
        case 1: link.name.hasPrefix("rmnet") || link.name.hasPrefix("ccmni") ? .cellular : .wiredEthernet
        default: .other
        }
    }
}

/// Shell-like patterns with `*` and `?`, over bytes.
enum Glob {
    /// Whether a text matches a pattern as a whole; time grows with the product of both lengths at worst.
    static func matches(_ pattern: String, _ text: String) -> Bool {
        let pattern = Array(pattern.utf8)
        let text = Array(text.utf8)
        var (inPattern, inText) = (0, 0)
        var star: (inPattern: Int, inText: Int)?
        while inText < text.count {
            if inPattern < pattern.count, pattern[inPattern] == UInt8(ascii: "*") {
                star = (inPattern, inText)
                inPattern += 1
            } else if inPattern < pattern.count,
                pattern[inPattern] == UInt8(ascii: "?") || pattern[inPattern] == text[inText]
            {
                inPattern += 1
                inText += 1
            } else if let last = star {
                inPattern = last.inPattern + 1
                inText = last.inText + 1
                star = (last.inPattern, inText)
            } else {
                return false
            }
        }
        return pattern[inPattern...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
