// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust

/// The truth table of docs/contract/server-trust.md (T1–T24); bold cells are S17.
enum ContractTable {
    static let text = """
        | T1 | None | no | yes | 0 | YES | no | no | no | YES | no |
        | T2 | None | no | yes | ≥1 | YES | no | no | no | YES | no |
        | T3 | None | no | no | 0 | YES | YES | no | no | YES | no |
        | T4 | None | no | no | ≥1 | YES | YES | no | no | YES | no |
        | T5 | None | yes | yes | 0 | no | no | no | no | YES | YES |
        | T6 | None | yes | yes | ≥1 | no | no | no | no | YES | YES |
        | T7 | None | yes | no | 0 | YES | YES | YES | YES | YES | YES |
        | T8 | None | yes | no | ≥1 | YES | YES | YES | YES | YES | YES |
        | T9 | PublicKey | no | yes | 0 | no | no | no | no | no | no |
        | T10 | PublicKey | no | yes | ≥1 | iff K | no | no | no | iff K | no |
        | T11 | PublicKey | no | no | 0 | no | no | no | no | no | no |
        | T12 | PublicKey | no | no | ≥1 | iff K | iff K | no | no | iff K | no |
        | T13 | PublicKey | yes | yes | 0 | no | no | no | no | no | no |
        | T14 | PublicKey | yes | yes | ≥1 | iff K | **iff K** | iff K | **iff K** | iff K | iff K |
        | T15 | PublicKey | yes | no | 0 | no | no | no | no | no | no |
        | T16 | PublicKey | yes | no | ≥1 | iff K | iff K | iff K | iff K | iff K | iff K |
        | T17 | Certificate | no | yes | 0 | no | no | no | no | no | no |
        | T18 | Certificate | no | yes | ≥1 | iff A | no | no | no | iff A | no |
        | T19 | Certificate | no | no | 0 | no | no | no | no | no | no |
        | T20 | Certificate | no | no | ≥1 | iff A | iff A | no | no | iff A | no |
        | T21 | Certificate | yes | yes | 0 | no | no | no | no | no | no |
        | T22 | Certificate | yes | yes | ≥1 | iff A | no | iff A | no | iff A | iff A |
        | T23 | Certificate | yes | no | 0 | no | no | no | no | no | no |
        | T24 | Certificate | yes | no | ≥1 | iff A | iff A | iff A | iff A | iff A | iff A |
        """

    /// The rows.
    static let rows: [ContractRow] = text.split(separator: "\n").map { line in
        ContractRow(line.split(separator: "|").map { $0.trimmingSpaces() }.filter { !$0.isEmpty })
    }
}

/// A column of the table.
struct ContractColumn: Sendable {
    let isValid: Bool
    /// Nil without a domain.
    let matchesDomain: Bool?

    static let all = [
        ContractColumn(isValid: true, matchesDomain: true), ContractColumn(isValid: true, matchesDomain: false),
        ContractColumn(isValid: false, matchesDomain: true), ContractColumn(isValid: false, matchesDomain: false),
        ContractColumn(isValid: true, matchesDomain: nil), ContractColumn(isValid: false, matchesDomain: nil),
    ]
}

/// A row of the table.
struct ContractRow: Sendable, CustomStringConvertible {
    let description: String
    let mode: PinningMode?
    let allowsInvalid: Bool
    let validatesName: Bool
    let hasPins: Bool
    let cells: [String]

    init(_ words: [String]) {
        description = words[0]
        mode = ["None": .none, "PublicKey": .publicKey, "Certificate": .certificate][words[1]]
        allowsInvalid = words[2] == "yes"
        validatesName = words[3] == "yes"
        hasPins = words[4] == "≥1"
        cells = Array(words.dropFirst(5))
    }

    /// The policy of the row with pins to put in.
    func policy(pins: PinSet, compatibility: TrustCompatibility) throws -> SecurityPolicy {
        var policy = try SecurityPolicy(pinningMode: mode ?? .none, pins: hasPins ? pins : PinSet())
        policy.allowInvalidCertificates = allowsInvalid
        policy.validatesDomainName = validatesName
        policy.compatibility = compatibility
        return policy
    }

    /// Whether a cell says that the server is accepted; nil for a cell that says nothing that can be understood.
    func accepts(column: Int, hasKey: Bool, isValidAgainstPins: Bool, _ compatibility: TrustCompatibility) -> Bool? {
        switch cells[column] {
        case "YES": true
        case "no": false
        case "iff K": hasKey
        // S17: what only the original accepts.
        case "**iff K**": hasKey && compatibility == .afnetworking
        case "iff A": isValidAgainstPins
        default: nil
        }
    }
}

extension Substring {
    fileprivate func trimmingSpaces() -> String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
