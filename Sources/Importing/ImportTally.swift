// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What an import counts of the original.
enum ImportUnit: String, CaseIterable {
    /// Modules of blackbox_exporter.
    case module
    /// Endpoints of Gatus.
    case endpoint
    /// Targets of Prometheus' probe jobs.
    case target
    /// Monitors of Uptime Kuma; its groups are not counted.
    case monitor
}

/// What an import loses of an item that it carries over.
enum ImportLoss: String, CaseIterable {
    /// A condition or an expectation.
    case condition
    /// Another key.
    case setting
    /// A channel of notifications.
    case receiver
}

/// Counts what an import carries over and loses.
struct ImportTally {
    /// The items of the original.
    private(set) var found: [ImportUnit: Int] = [:]
    /// Those that are in the result.
    private(set) var carried: [ImportUnit: Int] = [:]
    /// Those that are in the result as comments.
    private(set) var commented: [ImportUnit: Int] = [:]
    private var losses: [ImportLoss: Int] = [:]

    mutating func find(_ unit: ImportUnit) { found[unit, default: 0] += 1 }

    mutating func carry(_ unit: ImportUnit) { carried[unit, default: 0] += 1 }

    mutating func comment(_ unit: ImportUnit) { commented[unit, default: 0] += 1 }

    mutating func lose(_ loss: ImportLoss) { losses[loss, default: 0] += 1 }

    /// One line: `619 of 659 endpoints imported, 2 more as comments; lost: 3 conditions`.
    var summary: String {
        var items: [String] = []
        for unit in ImportUnit.allCases {
            guard let found = found[unit] else { continue }
            let term = "\(carried[unit] ?? 0) of \(found) \(unit.rawValue)" + (found == 1 ? "" : "s")
            items.append(term + " imported" + (commented[unit].map { ", \($0) more as comments" } ?? ""))
        }
        let lost = ImportLoss.allCases.compactMap { loss in
            losses[loss].map { "\($0) \(loss.rawValue)" + ($0 == 1 ? "" : "s") }
        }
        let isWhole = found.allSatisfy { $1 == carried[$0] }
        let rest = lost.isEmpty ? (isWhole ? "; nothing lost" : "") : "; lost: \(lost.joined(separator: ", "))"
        return items.joined(separator: ", ") + rest
    }
}
