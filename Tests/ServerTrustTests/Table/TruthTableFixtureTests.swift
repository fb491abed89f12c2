// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust
import Testing

/// The whole table again, with certificates in place of letters.
@Suite("The truth table over real certificates (T1–T24)")
struct TruthTableFixtureTests {
    /// A way in which a chain is not valid, or none.
    struct Failing: Sendable {
        let name: String
        let chain: [String]
        let anchors: [String]
        /// Whether it is not valid with the pins as anchors, either.
        let spoilsPins: Bool

        static let none = Failing(
            name: "valid",
            chain: ["leaf", "intermediate", "root"],
            anchors: ["root"],
            spoilsPins: false
        )
        static let all = [
            Failing(
                name: "unknown root",
                chain: ["leaf", "intermediate", "root"],
                anchors: ["other-root"],
                spoilsPins: false
            ),
            Failing(
                name: "expired",
                chain: ["expired", "intermediate", "root"],
                anchors: ["root"],
                spoilsPins: true
            ),
            Failing(
                name: "unknown root and expired",
                chain: ["expired", "intermediate", "root"],
                anchors: ["other-root"],
                spoilsPins: true
            ),
            Failing(
                name: "critical extension",
                chain: ["critical-extension", "intermediate", "root"],
                anchors: ["root"],
                spoilsPins: true
            ),
        ]
    }

    @Test("T1–T24: each cell for K and A true and false, in both modes", arguments: ContractTable.rows)
    func cells(row: ContractRow) throws {
        for (index, column) in ContractColumn.all.enumerated() {
            for failing in column.isValid ? [.none] : Failing.all {
                for isPinned in [true, false] {
                    let places = isPinned ? [failing.chain[0], "intermediate", "root"] : ["leaf-other-key"]
                    for place in places {
                        try check(row, index, failing, pinned: place, isPinned: isPinned)
                    }
                }
            }
        }
    }

    private func check(
        _ row: ContractRow,
        _ index: Int,
        _ failing: Failing,
        pinned place: String,
        isPinned: Bool
    ) throws {
        let column = ContractColumn.all[index]
        let domain: String? = column.matchesDomain.map { $0 ? "good.test" : "evil.test" }
        let pins = try row.mode == .publicKey ? Fixture.keyPins(place) : Fixture.pins(place)
        let hasKey = row.hasPins && isPinned
        let isNamed = !row.validatesName || column.matchesDomain != false
        let isValidAgainstPins = row.hasPins && isPinned && !failing.spoilsPins && isNamed
        var results: [Bool] = []
        for compatibility in TrustCompatibility.allCases {
            let words: Comment = "\(row), column \(index), \(failing.name), \(place) pinned, \(compatibility)"
            let policy = try row.policy(pins: pins, compatibility: compatibility)
            let verdict = try judge(failing.chain, policy, for: domain, anchors: failing.anchors)
            let wanted = row.accepts(
                column: index,
                hasKey: hasKey,
                isValidAgainstPins: isValidAgainstPins,
                compatibility
            )
            results.append(verdict.isAccepted)
            #expect(verdict.isAccepted == wanted, words)
            #expect(verdict.faults.isEmpty == verdict.isAccepted, words)
            #expect(verdict.row.description == row.description, words)
            #expect(verdict.predicates.isValid == column.isValid, words)
            #expect(verdict.predicates.matchesDomain == column.matchesDomain, words)
            #expect(verdict.predicates.hasPinnedKey == (row.mode == .publicKey ? hasKey : nil), words)
            #expect(
                verdict.predicates.isValidAgainstPins == (row.mode == .certificate ? isValidAgainstPins : nil),
                words
            )
            #expect(Set(verdict.allFaults).count == verdict.allFaults.count, words)
            #expect(
                verdict.warnings.contains(.compatibilityDiffers)
                    == (row.description == "T14" && column.matchesDomain == false && hasKey),
                words
            )
        }
        #expect((results[0] != results[1]) == (row.description == "T14" && column.matchesDomain == false && hasKey))
    }
}
