// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension Testbed {
    /// Whether namespaces can be made here: as root, or as mapped root in a user namespace (`scripts/test`).
    package static var isAvailable: Bool { obstacle == nil }

    /// Why namespaces cannot be made here, for the traits of tests that need them.
    package static var requirement: String {
        "needs network namespaces (root, or scripts/test): \(obstacle ?? "available")"
    }

    private static let obstacle: String? = {
        do {
            try NetworkNamespace().remove()
            return nil
        } catch {
            return "\(error)"
        }
    }()

    /// Why namespaces cannot have something here, or nil when they can.
    ///
    /// - Parameter kind: a kind of link (`dummy`, `wireguard`, …); `tun` for tun and tap devices; or `uid N` for a rule about a
    ///   user's number, which a user namespace may not map (user_namespaces(7)).
    package static func obstacle(to kind: String) -> String? {
        do {
            let probe = try Testbed()
            defer { probe.remove() }
            if kind.hasPrefix("uid ") {
                let uid = kind.dropFirst(4)
                do { try probe.i("rule add uidrange \(uid)-\(uid) prohibit") } catch {
                    return "this user namespace does not map uid \(uid)"
                }
                return nil
            }
            if kind == "tun" {
                do { try probe.i("tuntap add dev probe0 mode tun") } catch {
                    return "/dev/net/tun is missing or not for this user"
                }
                return nil
            }
            let details =
                switch kind {
                case "vlan": "link lo name probe0 type vlan id 7"
                case "macvlan", "ipvlan": "link lo name probe0 type \(kind)"
                case "vxlan": "probe0 type vxlan id 7 dstport 4789"
                case "geneve": "probe0 type geneve id 7 remote 192.0.2.1"
                case "vrf": "probe0 type vrf table 7"
                case "ipip", "sit", "gre": "probe0 type \(kind) local 127.0.0.1 remote 127.0.0.2"
                default: "probe0 type \(kind)"
                }
            try probe.i("link add \(details)")
            return nil
        } catch {
            return "this kernel makes no links of kind \(kind)"
        }
    }
}
