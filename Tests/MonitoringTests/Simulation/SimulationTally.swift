// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How verdicts compare with what was broken.
struct SimulationTally {
    enum Reading: String, CaseIterable {
        case right
        case wrong
        /// The path, and no element of it.
        case unnamed
        case down
        case nothing
        case other
    }

    /// Readings at the end of faults, by the kind of the fault.
    var matrix: [String: [Reading: Int]] = [:]
    /// Of members of shared faults: whether they were down at any time.
    var members = Rate()
    var elements = Rate()
    var deadHosts = Rate()
    var healthy = Rate()
    var recovered = Rate()
    var incidents = Rate()
    var steady = Rate()
    var mistakes: [String] = []

    /// A share of the right ones.
    struct Rate: CustomStringConvertible {
        var right = 0
        var all = 0

        var share: Double { all == 0 ? 1 : Double(right) / Double(all) }
        var description: String { "\(right) of \(all) (\((share * 100_000).rounded() / 1_000) %)" }

        mutating func count(_ isRight: Bool, _ number: Int = 1) {
            all += number
            if isRight { right += number }
        }

        static func += (left: inout Rate, right: Rate) {
            left.right += right.right
            left.all += right.all
        }
    }

    mutating func count(_ reading: Reading, of kind: String) { matrix[kind, default: [:]][reading, default: 0] += 1 }

    mutating func add(_ other: SimulationTally) {
        for (kind, readings) in other.matrix {
            for (reading, count) in readings { matrix[kind, default: [:]][reading, default: 0] += count }
        }
        members += other.members
        elements += other.elements
        deadHosts += other.deadHosts
        healthy += other.healthy
        recovered += other.recovered
        incidents += other.incidents
        steady += other.steady
        mistakes += other.mistakes
    }

    private static func cell(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// The confusion matrix and the rates.
    var report: String {
        let head = Self.cell("", 28) + Reading.allCases.map { Self.cell($0.rawValue, 9) }.joined()
        let rows = matrix.keys.sorted().map { kind in
            Self.cell(kind, 28)
                + Reading.allCases.map { Self.cell("\(matrix[kind]?[$0] ?? 0)", 9) }.joined()
        }
        return
            ([head] + rows + [
                "elements named right        \(elements)",
                "members never down          \(members)",
                "dead hosts down             \(deadHosts)",
                "healthy targets stay up     \(healthy)",
                "recovered targets are up    \(recovered)",
                "incidents = faults          \(incidents)",
                "one verdict in one fault    \(steady)",
            ]).joined(separator: "\n")
    }
}
