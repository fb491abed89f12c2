// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// The kernel's word on a path, for people.
enum PathWords {
    /// ` by eth0 (wired_ethernet), gateway 192.0.2.1`, of a status block; "" without any.
    static func route(_ block: JSONValue) -> String {
        guard let path = block["path"], let name = path["interface", "name"]?.words else { return "" }
        return " by \(name)" + (path["gateway"]?.words.map { " via \($0)" } ?? "")
    }

    /// ` by eth0 (wired_ethernet), gateway 192.0.2.1, source 192.0.2.2, IPv4, DNS`, of a status block; "" without any.
    static func suffix(_ block: JSONValue) -> String {
        guard let path = block["path"] else { return "" }
        var parts: [String] = []
        if let reason = path["unsatisfied_reason"]?.words { parts.append(": \(reason)") }
        if let name = path["interface", "name"]?.words {
            parts.append(" by \(name)" + (path["interface", "type"]?.words.map { " (\($0))" } ?? ""))
        }
        if let gateway = path["gateway"]?.words { parts.append(", gateway \(gateway)") }
        if let source = path["source_address"]?.words { parts.append(", source \(source)") }
        let kinds = [("supports_ipv4", "IPv4"), ("supports_ipv6", "IPv6"), ("supports_dns", "DNS")]
        let isUsable = path["unsatisfied_reason"] == nil
        let supported = kinds.filter { isUsable && path[$0.0]?.boolean == true }.map(\.1)
        if !supported.isEmpty { parts.append("; \(supported.joined(separator: ", "))") }
        return parts.joined()
    }
}
