// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// A line `= TARGET FLAGS [TYPE] [KEY=VALUE…]`: what a verdict must be; what is not said is not looked at.
struct Expectation: Sendable {
    var line: String
    var request: PathRequest
    var flags: UInt32
    var type: InterfaceType?
    var reason: UnsatisfiedReason?
    /// `on=eth0`; `on=-` is no interface.
    var interface: String?
    /// `via=192.0.2.1`; `via=-` is no gateway.
    var gateway: String?
    var source: String?
    var isExpensive: Bool?
    var isConstrained: Bool?
    /// `families=4`, `6`, `46` or `-`.
    var families: String?

    func fits(_ path: NetworkPath) -> Bool {
        difference(from: path) == nil
    }

    /// What is wrong with a path, nil when nothing is.
    func difference(from path: NetworkPath) -> String? {
        var found: [String] = []
        func compare(_ name: String, _ wanted: String?, _ actual: String?) {
            guard let wanted, wanted != (actual ?? "-") else { return }
            found.append("\(name) \(actual ?? "-") instead of \(wanted)")
        }
        compare("flags", Self.hex(flags), Self.hex(path.flags.rawValue))
        compare("type", type?.rawValue, path.interface?.type.rawValue)
        compare("reason", reason?.rawValue, path.unsatisfiedReason?.rawValue)
        compare("interface", interface, path.interface?.name)
        compare("gateway", gateway, path.gateway?.description)
        compare("source", source, path.sourceAddress?.description)
        compare("expensive", isExpensive?.description, path.isExpensive.description)
        compare("constrained", isConstrained?.description, path.isConstrained.description)
        let families = (path.supportsIPv4 ? "4" : "") + (path.supportsIPv6 ? "6" : "")
        compare("families", self.families, families.isEmpty ? nil : families)
        // What holds for every verdict, said or not (http-api, "Status of a thing that can be reached").
        if path.status == .satisfied, path.unsatisfiedReason != nil { found.append("satisfied, with a reason") }
        if path.status != .satisfied, path.unsatisfiedReason == nil { found.append("not satisfied, without a reason") }
        return found.isEmpty ? nil : found.joined(separator: ", ")
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return "0x" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }
}
