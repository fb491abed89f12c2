// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// What to do about a target that is not up: one concrete step for each kind of cause.
enum NextStep {
    /// - Parameter target: the answer of `/targets/{id}`.
    /// - Returns: nil when there is nothing to do.
    static func text(_ target: JSONValue) -> String? {
        let id = target["id"]?.words ?? "ID"
        switch target["state"]?.text {
        case "paused": return "Resume it on the page, or with a POST to /targets/\(id)/resume."
        case "up", "maintenance", nil: return nil
        default: break
        }
        switch target["cause"]?.text {
        case "local_network": return ownNetwork(target)
        case "dns":
            let name = target["host"]?.words
            let command = name.map { "getent hosts \($0)" } ?? "cat /etc/resolv.conf"
            return
                "Check name resolution: \(command). The name servers are in /etc/resolv.conf; reachd doctor checks them."
        case "path":
            if target["decision", "rule"]?.text == "mtu_black_hole" {
                let link = target["path", "interface", "name"]?.words ?? "INTERFACE"
                let size = target["reason", "trace", "largest_packet_bytes"]?.integer ?? 1280
                return
                    "Lower the MTU of this machine's interface, such as ip link set dev \(link) mtu \(size), or let the router "
                    + "clamp the TCP MSS."
            }
            return "Show the path with \(trace(target)), and send the output to the operator of the last router in it."
        case "parent":
            let parent = target["decision", "parent"]?.words ?? target["depends_on"]?.elements?.first?.words ?? "PARENT"
            return "See reachd explain \(parent): this target is probed again when that one is usable."
        case "self" where target["reason", "code"]?.text == "out_of_descriptors":
            return "reachd has no descriptor left. Raise the limit: \(DescriptorCheck.advice)."
        case "self": return "Run reachd doctor as the user that runs the service: it shows what is missing."
        case "target": return itself(target)
        default: return nil
        }
    }

    private static func ownNetwork(_ target: JSONValue) -> String {
        let link = target["path", "interface", "name"]?.words
        switch target["decision", "rule"]?.text {
        case "gateway_silent" where target["path", "gateway"]?.words == nil:
            let name = link ?? "the interface"
            return
                "Check the prefix length of \(name)'s address and the routes: ip address, ip route. Packets pass no gateway."
        case "gateway_silent", "gateway_rejects":
            let gateway = target["path", "gateway"]?.words ?? "GATEWAY"
            return "Check the gateway \(gateway): reachd check \(gateway) probes it; restart it if it does not answer."
        case "internet_down": return "Check the uplink behind the gateway: reachd trace 1.1.1.1 shows where it ends."
        case "own_firewall": return "Find the rule that rejects the packets: nft list ruleset, ip rule, ip route."
        default: break
        }
        switch target["path", "unsatisfied_reason"]?.text ?? target["reason", "code"]?.text {
        case "no_carrier": return "Check the cable of \(link ?? "the interface") and the port of the switch."
        case "link_down": return "Set \(link ?? "the interface") up: ip link set \(link ?? "INTERFACE") up."
        case "no_source_address":
            return "Give \(link ?? "the interface") an address: ip address shows those that it has."
        case "no_interface":
            return "Check the name of the interface in the target's declaration: ip link lists those of this machine."
        default: return "Check this machine's routes and links: ip route and ip link show what is missing."
        }
    }

    private static func itself(_ target: JSONValue) -> String {
        let (place, code) = (place(target), target["reason", "code"]?.text ?? "")
        if target["probe", "type"]?.text == "push" {
            return "Check the job that sends the heartbeat: its schedule, and its log of the last run."
        }
        if code == "connect_refused" {
            return
                "Check on the server that the service runs and listens: \(place) refuses connections (ss -ltn lists listeners)."
        }
        if code.hasPrefix("tls_") || code.hasPrefix("certificate") {
            return "Look at the certificate: reachd trust \(place) shows the chain and what is wrong with it."
        }
        if code.hasPrefix("http_") || code.hasPrefix("unexpected") || target["decision", "rule"]?.text == "wrong_answer"
        {
            let probed = target["probe", "url"]?.words ?? place
            return "See what it answers: reachd check \(probed), and the server's log."
        }
        if target["state"]?.text == "degraded" {
            return "See which part is slow: reachd check \(target["probe", "url"]?.words ?? place) shows its phases."
        }
        return
            "Check that the server is on and that no firewall drops the packets: \(trace(target)) shows how far they get."
    }

    /// A trace whose packets are like those of the target's probe.
    private static func trace(_ target: JSONValue) -> String {
        "reachd trace \(target["probe", "url"]?.words ?? place(target))"
    }

    /// `HOST:PORT`, or what is known of it.
    private static func place(_ target: JSONValue) -> String {
        let host =
            target["host"]?.words ?? target["address"]?.words ?? target["last_result", "address"]?.words ?? "HOST"
        guard let port = target["probe", "port"]?.integer ?? target["port"]?.integer, port > 0 else { return host }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
