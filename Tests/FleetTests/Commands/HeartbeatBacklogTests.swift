// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite("Heartbeats that a node took without the database") struct HeartbeatBacklogTests {
    @Test("They are stored once, after a failure again, and the newest of each target")
    func stored() throws {
        let loop = try EventLoop(name: "test")
        defer { loop.close() }
        let names = loop.executeAndWait { () -> [Int] in
            let executor = ManualExecutor()
            let backlog = HeartbeatBacklog(loop: loop)
            var counts: [Int] = []
            func renew() {
                backlog.renewed(on: executor)
                counts.append(executor.names.count)
            }
            renew()
            backlog.keep(isFailure: false, detail: nil, of: "a")
            renew()
            renew()
            executor.fail(DatabaseError(.statementTimeout, "too late"))
            renew()
            // What comes while the statement is in progress stays.
            backlog.keep(isFailure: true, detail: nil, of: "a")
            executor.complete()
            renew()
            executor.complete()
            renew()
            // The answer of a connection that ended is not awaited.
            backlog.keep(isFailure: true, detail: nil, of: "a")
            renew()
            backlog.disconnected()
            renew()
            return counts
        }
        #expect(names == [0, 1, 1, 2, 3, 3, 4, 5])
    }
}
