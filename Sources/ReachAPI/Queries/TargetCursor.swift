// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where a list goes on: behind the target with an ordinal, in one run of the registry.
struct TargetCursor: Hashable {
    let run: String
    let ordinal: UInt64

    init(run: String, ordinal: UInt64) {
        self.run = run
        self.ordinal = ordinal
    }

    init?(parsing text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count <= 16, let ordinal = UInt64(parts[1], radix: 16) else { return nil }
        self.init(run: String(parts[0]), ordinal: ordinal)
    }

    var text: String { "\(run).\(String(ordinal, radix: 16))" }
}
