// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust
import Testing

@Suite("The truth table as arithmetic (T1–T24)")
struct TruthTableTests {
    @Test("T1–T24: the contract's table has 24 rows of 6 columns, and nothing in it that is not understood")
    func contractIsWhole() {
        #expect(ContractTable.rows.count == 24)
        #expect(ContractTable.rows.map(\.description) == (1...24).map { "T\($0)" })
        for row in ContractTable.rows {
            #expect(row.mode != nil)
            #expect(row.cells.count == ContractColumn.all.count)
            for column in row.cells.indices {
                #expect(row.accepts(column: column, hasKey: true, isValidAgainstPins: true, .strict) != nil)
            }
        }
        #expect(ContractTable.rows.flatMap(\.cells).filter { $0.hasPrefix("**") }.count == 2)
    }

    @Test("T1–T24: each cell for every K and A, in both modes", arguments: TrustCompatibility.allCases)
    func cells(compatibility: TrustCompatibility) throws {
        let pins = try Fixture.pins("intermediate")
        for row in ContractTable.rows {
            let table = TruthTable(try row.policy(pins: pins, compatibility: compatibility))
            #expect(table.description == row.description)
            #expect("T\(table.number)" == row.description)
            for (index, column) in ContractColumn.all.enumerated() {
                for letters in 0..<4 {
                    let hasKey = letters & 1 != 0
                    // A includes the name where it counts.
                    let isNamed = !row.validatesName || column.matchesDomain != false
                    let isValidAgainstPins = letters & 2 != 0 && isNamed
                    let predicates = TrustPredicates(
                        isValid: column.isValid,
                        matchesDomain: column.matchesDomain,
                        hasPinnedKey: hasKey,
                        isValidAgainstPins: isValidAgainstPins
                    )
                    let wanted = row.accepts(
                        column: index,
                        hasKey: hasKey,
                        isValidAgainstPins: isValidAgainstPins,
                        compatibility
                    )
                    #expect(
                        table.accepts(predicates, compatibility: compatibility) == wanted,
                        "\(row), column \(index), K \(hasKey), A \(isValidAgainstPins)"
                    )
                }
            }
        }
    }

    @Test("S17: the two modes differ in T14 without H and with K, and nowhere else")
    func modesDiffer() throws {
        let pins = try Fixture.pins("intermediate")
        for row in ContractTable.rows {
            let table = TruthTable(try row.policy(pins: pins, compatibility: .strict))
            for column in ContractColumn.all {
                for letters in 0..<4 {
                    let predicates = TrustPredicates(
                        isValid: column.isValid,
                        matchesDomain: column.matchesDomain,
                        hasPinnedKey: letters & 1 != 0,
                        isValidAgainstPins: letters & 2 != 0
                    )
                    let strict = table.accepts(predicates, compatibility: .strict)
                    let original = table.accepts(predicates, compatibility: .afnetworking)
                    let isHole = row.description == "T14" && column.matchesDomain == false && letters & 1 != 0
                    #expect((strict != original) == isHole, "\(row)")
                    #expect(!strict || original, "\(row): strict never accepts more")
                }
            }
        }
    }

    @Test("S7–S12: all 768 inputs of the decision procedure have its outcome")
    func procedure() throws {
        let pins = try Fixture.pins("intermediate")
        var count = 0
        for row in ContractTable.rows {
            let table = TruthTable(try row.policy(pins: pins, compatibility: .afnetworking))
            for bits in 0..<32 {
                let input = ProcedureInput(bits)
                let isNamed = !(input.hasDomain && row.validatesName) || input.matches
                let predicates = TrustPredicates(
                    isValid: input.isValid,
                    matchesDomain: input.hasDomain ? input.matches : nil,
                    hasPinnedKey: input.hasKey,
                    isValidAgainstPins: input.isValidAgainstPins && isNamed
                )
                #expect(
                    table.accepts(predicates, compatibility: .afnetworking) == input.decide(row),
                    "\(row) with \(input)"
                )
                count += 1
            }
        }
        #expect(count == 768)
    }
}

/// The original's procedure in its own order (S7–S12), without the table.
private struct ProcedureInput {
    let hasDomain: Bool
    let isValid: Bool
    let matches: Bool
    let hasKey: Bool
    let isValidAgainstPins: Bool

    init(_ bits: Int) {
        hasDomain = bits & 1 != 0
        isValid = bits & 2 != 0
        matches = bits & 4 != 0
        hasKey = bits & 8 != 0
        isValidAgainstPins = bits & 16 != 0
    }

    func decide(_ row: ContractRow) -> Bool {
        // S7
        if hasDomain, row.allowsInvalid, row.validatesName, row.mode == PinningMode.none || !row.hasPins {
            return false
        }
        // S8: the name is part of the policy when there is a domain.
        let isNamed = !(row.validatesName && hasDomain) || matches
        let evaluatesWell = isValid && isNamed
        // S9
        if row.mode == PinningMode.none { return row.allowsInvalid || evaluatesWell }
        // S10
        if !row.allowsInvalid, !evaluatesWell { return false }
        // S20, and no key without pins (S4)
        guard row.hasPins else { return false }
        // S11, S12
        return row.mode == .certificate ? isValidAgainstPins && isNamed : hasKey
    }
}
