// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// What to do about a target that is not up: one concrete step for each kind of cause. Made from the target's body, so that it is the same
/// for a fleet's targets, and says nothing that the body hides.
package enum NextStep {
    /// How to raise the limit of open files and sockets.
    package static let moreDescriptors =
        "LimitNOFILE=65536 in the systemd unit, --ulimit nofile=65536 with Docker, or ulimit -Hn 65536 as root"

    /// A target's body with the member `advice`, if there is something to do.
    ///
    /// - Parameters:
    ///   - body: a JSON object.
    ///   - state: the target's, so that the body of one that is up is not read.
    static func advised(_ body: [UInt8], _ state: TargetState) -> [UInt8] {
        guard state != .up, state != .maintenance, let advice = text(body) else { return body }
        var writer = JSONWriter(reserving: body.count + 256)
        writer.object { writer in
            writer.members(rendered: Array(body.dropFirst().dropLast()))
            writer.member("advice", advice)
        }
        return writer.bytes
    }

    /// - Parameter body: the body of `/targets/{id}`.
    /// - Returns: nil when there is nothing to do.
    static func text(_ body: [UInt8]) -> String? {
        guard let target = try? JSONValue(reading: body) else { return nil }
        let id = target.text(at: "id") ?? "ID"
        switch target.text(at: "state") {
        case "paused": return "Resume it on the page, or with a POST to /targets/\(id)/resume."
        case "up", "maintenance", nil: return nil
        default: break
        }
        switch target.text(at: "cause") {
        case "local_network": return ownNetwork(target)
        case "dns":
            let name = target.text(at: "host")
            let command = name.map { "getent hosts \($0)" } ?? "cat /etc/resolv.conf"
            return
                "Check name resolution: \(command). The name servers are in /etc/resolv.conf; reachd doctor checks them."
        case "path":
            if target.text(at: "decision", "rule") == "mtu_black_hole" {
                let link = target.text(at: "path", "interface", "name") ?? "INTERFACE"
                let size = target.number(at: "reason", "trace", "largest_packet_bytes") ?? 1280
                return
                    "Lower the MTU of this machine's interface, such as ip link set dev \(link) mtu \(size), or let the router "
                    + "clamp the TCP MSS."
            }
            return "Show the path with \(trace(target)), and send the output to the operator of the last router in it."
        case "parent":
            let parent = target.text(at: "decision", "parent") ?? target.firstText(of: "depends_on") ?? "PARENT"
            return "See reachd explain \(parent): this target is probed again when that one is usable."
        case "self" where ["not_evaluated", "not_probed"].contains(target.text(at: "reason", "code")): return nil
        case "self" where target.text(at: "reason", "code") == "out_of_descriptors":
            return "reachd has no descriptor left. Raise the limit: \(moreDescriptors)."
        case "self" where target.text(at: "decision", "rule") == "too_late":
            return
                "reachd had no processor to see replies in time: look at the machine's load (uptime, top) and the CPU limit of "
                + "its service or container."
        case "self": return "Run reachd doctor as the user that runs the service: it shows what is missing."
        case "target": return itself(target)
        default: return nil
        }
    }

    private static func ownNetwork(_ target: JSONValue) -> String {
        let link = target.text(at: "path", "interface", "name")
        switch target.text(at: "decision", "rule") {
        case "gateway_silent" where target.text(at: "path", "gateway") == nil:
            let name = link ?? "the interface"
            return
                "Check the prefix length of \(name)'s address and the routes: ip address, ip route. Packets pass no gateway."
        case "gateway_rejects":
            let gateway = target.text(at: "path", "gateway") ?? "GATEWAY"
            return
                "Look at the routes and the firewall of the gateway \(gateway), which reports this, and at the target's address."
        case "gateway_silent":
            let gateway = target.text(at: "path", "gateway") ?? "GATEWAY"
            return "Check the gateway \(gateway): reachd check \(gateway) probes it; restart it if it does not answer."
        case "internet_down": return "Check the uplink behind the gateway: reachd trace 1.1.1.1 shows where it ends."
        case "own_firewall" where target.text(at: "reason", "code") == "timeout":
            return
                "Look at the gateway's routes and firewall, and for a rule of this machine that drops the packets: nft list ruleset, ip rule, "
                + "ip route."
        case "own_firewall": return "Find the rule that rejects the packets: nft list ruleset, ip rule, ip route."
        default: break
        }
        switch target.text(at: "path", "unsatisfied_reason") ?? target.text(at: "reason", "code") {
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
        let (place, code) = (place(target), target.text(at: "reason", "code") ?? "")
        if target.text(at: "probe", "type") == "push" {
            return "Check the job that sends the heartbeat: its schedule, and its log of the last run."
        }
        if code == "connect_refused" {
            return
                "Check on the server that the service runs and listens: \(place) refuses connections (ss -ltn lists listeners)."
        }
        if code.hasPrefix("tls_") || code.hasPrefix("certificate") {
            return "Look at the certificate: reachd trust \(place) shows the chain and what is wrong with it."
        }
        if code.hasPrefix("http_") || code.hasPrefix("unexpected")
            || target.text(at: "decision", "rule") == "wrong_answer"
        {
            let probed = target.text(at: "probe", "url") ?? place
            return "See what it answers: reachd check \(probed), and the server's log."
        }
        if target.text(at: "state") == "degraded" {
            return "See which part is slow: reachd check \(target.text(at: "probe", "url") ?? place) shows its phases."
        }
        return
            "Check that the server is on and that no firewall drops the packets: \(trace(target)) shows how far they get."
    }

    /// A trace whose packets are like those of the target's probe.
    private static func trace(_ target: JSONValue) -> String {
        "reachd trace \(target.text(at: "probe", "url") ?? place(target))"
    }

    /// `HOST:PORT`, or what is known of it.
    private static func place(_ target: JSONValue) -> String {
        let host =
            target.text(at: "host") ?? target.text(at: "address") ?? target.text(at: "last_result", "address") ?? "HOST"
        guard let port = target.number(at: "probe", "port") ?? target.number(at: "port"), port > 0 else { return host }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension JSONValue {
    private subscript(path: [String]) -> JSONValue? {
        path.reduce(self as JSONValue?) { $0?.member($1) }
    }

    fileprivate func text(at path: String...) -> String? {
        if case .string(let text)? = self[path] { text } else { nil }
    }

    fileprivate func number(at path: String...) -> Int? {
        if case .number(let digits)? = self[path] { Int(digits) } else { nil }
    }

    fileprivate func firstText(of name: String) -> String? {
        if case .array(let elements)? = member(name), case .string(let text)? = elements.first { text } else { nil }
    }
}
