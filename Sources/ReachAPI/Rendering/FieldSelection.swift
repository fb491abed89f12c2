// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which members of a target a client wants; the id is always among them.
struct FieldSelection: Hashable {
    private var bits: UInt32

    /// All members.
    static let all = FieldSelection(bits: .max)

    private init(bits: UInt32) {
        self.bits = bits
    }

    init(_ fields: [TargetField]) {
        bits = ([.id] + fields).reduce(0) { $0 | Self.bit($1) }
    }

    func contains(_ field: TargetField) -> Bool { bits == .max || bits & Self.bit(field) != 0 }

    private static func bit(_ field: TargetField) -> UInt32 {
        1 << UInt32(positions[field] ?? 31)
    }

    private static let positions = Dictionary(
        uniqueKeysWithValues: TargetField.allCases.enumerated().map { ($1, $0) }
    )
}
