// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Notifying

@Suite("A stored progress") struct StoredProgressTests {
    private func place(_ floor: UInt64, _ problems: [String: TargetState]) -> ReceiverOffset {
        ReceiverOffset(mark: ConsumerOffset(floor: floor), open: OpenProblems(problems))
    }

    @Test(
        "What is read is what was written last, however often problems begin and end, and after failures",
        arguments: [1, 2, 3]
    )
    func walk(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var progress = StoredProgress()
        var row: (whole: String?, changes: String?)
        var problems: [String: TargetState] = [:]
        var largest = 0
        var wholes = 0
        for floor: UInt64 in 1...600 {
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                let target = "target-\(Int.random(in: 0..<2_000, using: &random))"
                problems[target] = [nil, .down, .degraded].randomElement(using: &random) ?? nil
            }
            let update = progress.update(place(floor, problems))
            let isLost = Int.random(in: 0..<5, using: &random) == 0
            let isStored = !isLost || Bool.random(using: &random)
            if isStored { row = (update.whole ?? row.whole, update.changes) }
            // A failure may have been stored, too.
            if isLost { progress.failed() }
            largest = max(largest, update.changes?.utf8.count ?? 0)
            wholes += update.whole == nil ? 0 : 1
            guard isStored else { continue }
            let whole = try #require(row.whole)
            try #require(StoredProgress.read(whole, changes: row.changes) == place(floor, problems))
        }
        #expect(largest <= StoredProgress.changesLimit && wholes < 200, "\(largest) \(wholes)")
    }

    @Test("A text that is not valid has no offset; an empty one has no problems")
    func invalid() {
        #expect(StoredProgress.read("x", changes: nil) == nil)
        #expect(StoredProgress.read("1\n", changes: "2\n*down a") == nil)
        #expect(StoredProgress.read("1\n", changes: "") == nil)
        #expect(StoredProgress.read("1\ndown a", changes: "2\n-down a") == place(2, [:]))
    }
}
