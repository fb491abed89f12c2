// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Fleet

@Suite("Numbers of reports") struct LocalPositionTests {
    @Test("Positions survive their stored form and keep their order", arguments: [0, 1, 7, LocalPosition.lastSequence])
    func stored(sequence: UInt64) throws {
        for index in [0, 1, LocalPosition.firstComplete, LocalPosition.lastIndex] as [UInt64] {
            let position = LocalPosition(sequence: sequence, index: index)
            #expect(position.stored >= 0)
            #expect(LocalPosition(stored: position.stored) == position)
        }
        #expect(LocalPosition(sequence: sequence, index: 5).stored > LocalPosition(sequence: sequence, index: 4).stored)
    }

    @Test("Values beyond the limits become the limits, and negative ones are rejected")
    func limits() {
        let position = LocalPosition(sequence: .max, index: .max)
        #expect(position.stored == .max)
        #expect(LocalPosition(stored: -1) == nil)
        #expect(LocalPosition(stored: .max) == position)
    }

    @Test("Only an incomplete list of states is partial")
    func partial() {
        #expect(!LocalPosition(sequence: 4, index: 0).isPartial)
        #expect(LocalPosition(sequence: 4, index: 1).isPartial)
        #expect(!LocalPosition(sequence: 4, index: LocalPosition.firstComplete).isPartial)
    }
}
