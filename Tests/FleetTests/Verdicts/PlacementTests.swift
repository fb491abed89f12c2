// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Testing

@Suite("Placements")
struct PlacementTests {
    @Test("The default quorum is the majority", arguments: [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (31, 16)])
    func majority(watchers: Int, quorum: Int) throws {
        #expect(try Placement(watchers: watchers).quorum == quorum)
    }

    @Test("Numbers out of range and too few locations are refused")
    func refused() {
        #expect(throws: PlacementError.watchers) { try Placement(watchers: 0) }
        #expect(throws: PlacementError.watchers) { try Placement(watchers: 32) }
        #expect(throws: PlacementError.quorum) { try Placement(watchers: 3, quorum: 0) }
        #expect(throws: PlacementError.quorum) { try Placement(watchers: 3, quorum: 4) }
        #expect(throws: PlacementError.locations) { try Placement(watchers: 2, locations: ["berlin", "berlin"]) }
    }

    @Test("The same locations in another order are the same placement")
    func order() throws {
        let placement = try Placement(watchers: 2, locations: ["paris", "berlin", "tokyo"])
        #expect(try placement == Placement(watchers: 2, locations: ["tokyo", "paris", "berlin", "paris"]))
        #expect(placement.permits("berlin"))
        #expect(!placement.permits("oslo"))
        #expect(try Placement().permits("oslo"))
    }
}
