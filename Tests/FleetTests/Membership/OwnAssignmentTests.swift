// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Fleet

@Suite("A node's assignments") struct OwnAssignmentTests {
    @Test("Invalid assignments and those of another location are skipped and counted")
    func skipping() {
        let rows = Rows.make([
            ["1", "0", "berlin", "5", "1700000000000000", "4", "t"],
            ["1", "1024", "berlin", "5", "1", "0", "t"],
            ["-1", "0", "berlin", "5", "1", "0", "t"],
            ["4294967296", "0", "berlin", "5", "1", "0", "t"],
            ["1", "2", "paris", "5", "1", "0", "t"],
            ["1", "3", "berlin", nil, "1", "0", "t"],
            ["1", "4", "berlin", "-7", "1", "0", "t"],
            ["2", "1023", "berlin", "9223372036854775807", "0", "0", "f"],
        ])
        let (assignments, skipped) = OwnAssignment.list(rows, location: "berlin")
        #expect(skipped == 6)
        #expect(
            assignments == [
                OwnAssignment(
                    key: AssignmentKey(shard: Shard(placement: 1, number: 0), location: "berlin"),
                    token: 5,
                    since: .seconds(1_700_000_000),
                    confirmed: 4
                ),
                OwnAssignment(
                    key: AssignmentKey(shard: Shard(placement: 2, number: 1_023), location: "berlin"),
                    token: UInt64(Int64.max),
                    since: .zero,
                    isFirst: false
                ),
            ]
        )
    }
}
