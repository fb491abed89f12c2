// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import LinuxIO
import Monitoring
import PostgreSQL
import TestSupport
import Testing

@Suite("A node's session", .timeLimit(.minutes(15))) struct FleetSessionTests {
    private static let shard: [[String?]] = [["1", "0", "berlin", "1", "1", "0", "t"]]

    /// A session that is registered and has shard 0.
    private static func member(lease: Duration = .seconds(5)) throws -> StoppedSession {
        let session = try StoppedSession(lease: lease)
        session.run { parts, database in
            database.assignments = shard
            parts.session.start()
        }
        _ = session.statements()
        return session
    }

    @Test("A node checks the schema, registers, renews, reads its assignments, and begins with the states")
    func start() throws {
        let session = try StoppedSession()
        session.run { parts, database in
            database.assignments = Self.shard
            parts.source.vote("a", .down)
            parts.session.start()
        }
        #expect(
            session.statements() == [
                "check_schema", "register_node", "renew_lease", "read_own_assignments", "store_reports",
            ]
        )
        let standing = try session.read { parts, _ in parts.session.standing }
        #expect(standing.phase == .member)
        #expect(standing.outage == nil)
        #expect(standing.backlog == 0)
        #expect(standing.identity?.incarnation == 1)
        #expect(standing.validUntil == 6_000_000_000)
        #expect(standing.skew.estimate == .milliseconds(-100))
        #expect(session.host.assignments.events.map { $0.map(\.token) } == [[1]])
        #expect(session.host.connections.events == [true])
        #expect(try session.read { $1.inbox.map(\.kind) } == ["state"])
    }

    @Test("An idle node sends one statement per fifth of the lease and nothing else")
    func idle() throws {
        let session = try Self.member()
        session.advance(by: .seconds(20))
        #expect(session.statements() == [String](repeating: "renew_lease", count: 20))
        #expect(session.host.standings.count == 2)
        #expect(session.host.assignments.count == 1)
    }

    @Test("A new version of the assignments is read once, after the renewal that announces it")
    func assignments() throws {
        let session = try Self.member()
        session.run { _, database in
            database.assignments = [
                ["1", "0", "berlin", "1", "1", "0", "t"], ["1", "7", "berlin", "2", "1", "0", "t"],
            ]
            database.assignmentVersion = 2
        }
        #expect(session.statements() == [])
        session.advance(by: .seconds(2))
        #expect(session.statements() == ["renew_lease", "read_own_assignments", "renew_lease"])
        #expect(session.host.assignments.events.last?.map(\.key.shard.number) == [0, 7])
    }

    @Test("Another epoch of the fleet's log, as after a restored backup, has its assignments read again")
    func restoredAssignments() throws {
        let session = try Self.member()
        session.run { _, database in database.epoch = "a2" }
        session.advance(by: .seconds(1))
        #expect(session.statements() == ["renew_lease", "read_own_assignments"])
    }

    @Test("Reports are sent as soon as they are available, and those of foreign shards are not")
    func reports() throws {
        let session = try Self.member()
        session.run { parts, _ in
            parts.source.vote("a", .down)
            parts.source.vote("b", .down, shard: 5)
            parts.session.reportsAvailable()
        }
        #expect(session.statements() == ["store_reports"])
        #expect(try session.read { $1.inbox.map(\.kind) } == ["vote"])
        let standing = try session.read { parts, _ in parts.session.standing }
        #expect(standing.droppedReports == 1)
        #expect(standing.backlog == 0)
    }

    @Test("Only a report after a time without one notifies: the coordinator may not read the inbox fast any more")
    func notification() throws {
        let session = try Self.member()
        for wait in [Duration.zero, .seconds(1), .seconds(3), .seconds(4)] {
            session.advance(by: wait)
            session.run { parts, _ in
                parts.source.vote("a", .down)
                parts.session.reportsAvailable()
            }
            _ = session.statements()
        }
        let notifications = try session.read { $1.notifications }
        #expect(notifications == [true, false, false, true])
    }

    @Test("A node that is notified of a vacancy renews its lease at once, and then as before")
    func vacancy() throws {
        let session = try Self.member()
        session.advance(by: .milliseconds(100))
        session.run { parts, _ in parts.session.renewSoon(within: .milliseconds(50)) }
        session.advance(by: .milliseconds(50))
        #expect(session.statements() == ["renew_lease"])
        session.advance(by: .milliseconds(900))
        #expect(session.statements() == [])
        session.advance(by: .seconds(1))
        #expect(session.statements() == ["renew_lease"])
    }

    @Test("A connection that ends is opened again after at most a quarter of the lease; the incarnation stays")
    func reconnecting() throws {
        let session = try Self.member()
        session.run { _, database in
            database.refusal = DatabaseError(.unreachable, "refused")
            database.cut()
        }
        session.advance(by: .seconds(30))
        let attempts = try session.read { $1.attempts }
        let gaps = zip(attempts.dropFirst(), attempts).map { ($0 - $1) / 1_000_000 }
        #expect(gaps.first.map { 200...410 ~= $0 } == true)
        #expect(gaps.dropFirst(3).allSatisfy { 625...1_260 ~= $0 })
        #expect((22...50).contains(gaps.count))
        let cut = try session.read { parts, _ in parts.session.standing }
        #expect(cut.outage?.fault.code == "unreachable")
        #expect(cut.phase == .member)
        #expect(session.host.connections.events == [true, false])
        #expect(try session.read { parts, _ in parts.session.isLeaseValid } == false)
        _ = session.statements()
        session.run { _, database in database.refusal = nil }
        session.advance(by: .seconds(5))
        #expect(session.statements().prefix(3) == ["check_schema", "renew_lease", "renew_lease"])
        let standing = try session.read { parts, _ in parts.session.standing }
        #expect(standing.outage == nil)
        #expect(standing.identity?.incarnation == 1)
    }

    @Test("After an interruption reports wait for the assignments, and those of a shard that was lost are not sent")
    func lostShard() throws {
        let session = try Self.member()
        session.run { parts, database in
            database.assignments = []
            database.assignmentVersion = 2
            database.cut()
            parts.source.vote("a", .down)
            parts.session.reportsAvailable()
        }
        session.advance(by: .milliseconds(500))
        #expect(session.statements() == ["check_schema", "renew_lease", "read_own_assignments"])
        #expect(try session.read { parts, _ in parts.session.standing.droppedReports } == 1)
    }

    @Test("A database that does not answer ends every call by its deadline, and the lease by itself")
    func frozen() throws {
        let session = try Self.member()
        session.run { _, database in database.isFrozen = true }
        session.advance(by: .seconds(4))
        #expect(try session.read { parts, _ in parts.session.standing.outage?.fault.code } == "timeout")
        #expect(try session.read { parts, _ in parts.session.isLeaseValid } == true)
        session.advance(by: .seconds(2))
        #expect(try session.read { parts, _ in parts.session.isLeaseValid } == false)
        session.run { parts, database in
            database.isFrozen = false
            parts.source.vote("a", .down)
            parts.session.reportsAvailable()
        }
        #expect(try session.read { $1.inbox.count } == 0)
        session.advance(by: .seconds(8))
        #expect(try session.read { parts, _ in parts.session.isLeaseValid } == true)
        #expect(try session.read { $1.inbox.count } == 1)
    }

    @Test("A process whose name was registered by another one stops, says so, and never registers again")
    func replaced() throws {
        let session = try Self.member()
        session.run { _, database in database.nodes["node-1"]?.incarnation = 5 }
        session.advance(by: .seconds(60))
        #expect(session.statements() == ["renew_lease", "read_incarnation"])
        let standing = try session.read { parts, _ in parts.session.standing }
        #expect(standing.phase == .replaced)
        #expect(standing.replacedBy == 5)
        #expect(session.host.standings.events.last?.phase == .replaced)
        #expect(session.host.messages.events.filter { $0.level == .error }.count == 1)
        #expect(session.host.connections.events == [true, false])
        session.run { parts, _ in
            parts.source.vote("a", .down)
            parts.session.reportsAvailable()
            parts.session.isHealthy = false
            parts.session.isHealthy = true
            parts.session.start()
        }
        session.advance(by: .seconds(10))
        #expect(session.statements() == [])
        #expect(try session.read { $1.attempts.count } == 1)
    }

    @Test("A database that lost the registration gets another one, and reports begin with the states")
    func lostRegistration() throws {
        let session = try Self.member()
        session.run { parts, database in
            parts.source.vote("a", .down)
            parts.session.reportsAvailable()
            database.nodes = [:]
        }
        _ = session.statements()
        session.advance(by: .seconds(1))
        #expect(
            session.statements() == [
                "renew_lease", "read_incarnation", "register_node", "renew_lease", "store_reports",
            ]
        )
        #expect(try session.read { $1.inbox.last?.kind } == "state")
    }

    @Test("A database without a head row is an outage, and the node continues to try")
    func withoutHead() throws {
        let session = try Self.member()
        session.run { _, database in database.hasHead = false }
        session.advance(by: .seconds(20))
        #expect(try session.read { parts, _ in parts.session.standing.outage?.fault.code } == "not_initialized")
        #expect(try session.read { parts, _ in parts.session.isLeaseValid } == false)
        session.run { _, database in database.hasHead = true }
        session.advance(by: .seconds(6))
        #expect(try session.read { parts, _ in parts.session.isLeaseValid } == true)
        #expect(try session.read { $1.nodes["node-1"]?.incarnation } == 1)
    }

    @Test("While the node is unhealthy nothing is renewed, and the lease ends")
    func unhealthy() throws {
        let session = try Self.member()
        session.run { parts, _ in parts.session.isHealthy = false }
        session.advance(by: .seconds(7))
        #expect(session.statements() == [])
        #expect(try session.read { parts, _ in parts.session.isLeaseValid } == false)
        #expect(session.host.standings.events.last?.isHealthy == false)
        session.run { parts, _ in
            // Nothing is sent before the lease is renewed.
            parts.source.vote("a", .down)
            parts.source.beginEpoch("e2")
            parts.session.reportsAvailable()
        }
        #expect(session.statements() == [])
        session.run { parts, _ in parts.session.isHealthy = true }
        #expect(session.statements() == ["renew_lease", "begin_local_epoch", "store_reports"])
        #expect(session.host.standings.events.last?.isHealthy == true)
    }

    @Test("A departure is one last renewal")
    func departure() async throws {
        let session = try Self.member()
        #expect(await session.host.close(departing: true))
        #expect(session.statements() == ["renew_lease"])
        #expect(try session.read { $1.nodes["node-1"]?.isDeparted } == true)
        session.advance(by: .seconds(20))
        #expect(session.statements() == [])
        #expect(await session.host.close(departing: true) == false)
    }

    @Test("A session can be closed from its own callbacks", arguments: [true, false])
    func closingInside(isDeparting: Bool) throws {
        let session = try Self.member()
        session.run { parts, _ in
            parts.session.renewed = { [weak session = parts.session] _ in
                session?.close(departing: isDeparting, within: .seconds(5))
            }
        }
        session.advance(by: .seconds(10))
        #expect(session.statements() == [String](repeating: "renew_lease", count: isDeparting ? 2 : 1))
        #expect(try session.read { $1.nodes["node-1"]?.isDeparted } == isDeparting)
        #expect(try session.read { parts, _ in parts.session.standing.phase } == .departed)
    }

    @Test("A departure from a database that does not answer ends by its limit")
    func departureFromFrozen() throws {
        let session = try Self.member()
        session.run { parts, database in
            database.isFrozen = true
            parts.session.close(departing: true, within: .seconds(1))
        }
        #expect(try session.read { parts, _ in parts.session.standing.phase } == .member)
        session.advance(by: .seconds(1))
        #expect(try session.read { parts, _ in parts.session.standing.phase } == .departed)
    }

    @Test("A node that closes without departing keeps its lease in the database")
    func closing() async throws {
        let session = try Self.member()
        #expect(await session.host.close(departing: false) == false)
        session.advance(by: .seconds(20))
        #expect(session.statements() == [])
        #expect(try session.read { $1.nodes["node-1"]?.isDeparted } == false)
    }

    @Test("Reports that the database does not accept for now wait for the next renewal and are an outage")
    func diskFull() throws {
        let session = try Self.member()
        session.run { parts, database in
            database.failures["store_reports"] = DatabaseError(.diskFull, "no space left")
            parts.source.vote("a", .down, at: .seconds(77))
            parts.session.reportsAvailable()
        }
        session.advance(by: .seconds(3))
        #expect(session.statements().filter { $0 == "store_reports" }.count == 4)
        let standing = try session.read { parts, _ in parts.session.standing }
        #expect(standing.outage?.fault.code == "disk_full")
        #expect(standing.backlog == 1)
        #expect(standing.oldestUnreported == .seconds(77))
        #expect(standing.validUntil != nil)
        session.run { _, database in database.failures = [:] }
        session.advance(by: .seconds(1))
        let after = try session.read { parts, _ in parts.session.standing }
        #expect(after.outage == nil)
        #expect(after.backlog == 0)
    }

    @Test("A report that the database rejects is dropped, and those around it are stored")
    func rejected() throws {
        let session = try Self.member()
        session.run { parts, database in
            database.failures["store_reports"] = DatabaseError(.invalidInput, "rejected")
            parts.source.vote("a", .down)
            parts.session.reportsAvailable()
        }
        #expect(session.statements() == ["store_reports"])
        session.run { parts, database in
            database.failures = [:]
            parts.source.vote("b", .down)
            parts.session.reportsAvailable()
        }
        #expect(try session.read { $1.inbox.count } == 1)
        let standing = try session.read { parts, _ in parts.session.standing }
        #expect(standing.droppedReports == 1)
        #expect(standing.outage == nil)
    }

    @Test("A connection whose statements fail is kept for a lease, then replaced: its settings may be the reason")
    func timeLimit() throws {
        let session = try Self.member()
        let attempts = try session.read { $1.attempts.count }
        session.run { _, database in
            database.failures["renew_lease"] = DatabaseError(.statementTimeout, "cancelled")
        }
        session.advance(by: .seconds(3))
        #expect(try session.read { $1.attempts.count } == attempts)
        session.advance(by: .seconds(4))
        #expect(try session.read { $1.attempts.count } > attempts)
        #expect(try session.read { parts, _ in parts.session.standing.outage?.fault.code } == "statement_timeout")
        session.run { _, database in database.failures = [:] }
        session.advance(by: .seconds(5))
        #expect(try session.read { parts, _ in parts.session.standing.outage } == nil)
        #expect(try session.read { $1.nodes["node-1"]?.incarnation } == 1)
    }

    @Test("A server that became a standby is left, and the connection is opened again")
    func readOnly() throws {
        let session = try Self.member()
        session.run { _, database in database.failures["renew_lease"] = DatabaseError(.readOnly, "read-only") }
        session.advance(by: .milliseconds(1_500))
        #expect(try session.read { $1.attempts.count } >= 2)
        #expect(try session.read { parts, _ in parts.session.standing.outage?.fault.code } == "read_only")
        session.run { _, database in database.failures = [:] }
        session.advance(by: .seconds(5))
        #expect(try session.read { parts, _ in parts.session.standing.outage } == nil)
        #expect(try session.read { $1.nodes["node-1"]?.incarnation } == 1)
    }

    @Test("An unsupported schema is reported with its code, and checked again with each connection")
    func schema() throws {
        let session = try StoppedSession()
        session.run { parts, database in
            database.failures["check_schema"] = DatabaseError(.missingObject, "no table schema_versions")
            parts.session.start()
        }
        session.advance(by: .seconds(3))
        #expect(Set(session.statements()) == ["check_schema"])
        let standing = try session.read { parts, _ in parts.session.standing }
        #expect(standing.phase == .joining)
        #expect(standing.outage?.fault.code == "missing_object")
        #expect(session.host.connections.events == [])
        session.run { _, database in database.failures = [:] }
        session.advance(by: .seconds(5))
        #expect(try session.read { parts, _ in parts.session.standing.phase } == .member)
    }

    @Test("A new local epoch is stored before the states, without another registration")
    func epoch() throws {
        let session = try Self.member()
        session.run { parts, _ in
            parts.source.vote("a", .down)
            parts.source.beginEpoch("e2")
            parts.session.reportsAvailable()
        }
        #expect(session.statements() == ["begin_local_epoch", "store_reports"])
        #expect(try session.read { $1.nodes["node-1"]?.epoch } == "e2")
        #expect(try session.read { $1.nodes["node-1"]?.incarnation } == 1)
        #expect(try session.read { $1.inbox.map(\.kind) } == ["state"])
    }

    @Test("Statements of other parts use the same connection, fail while there is none, and let renewals pass")
    func executing() throws {
        let session = try StoppedSession()
        session.run { parts, _ in
            parts.session.execute(Statement("SELECT 1", name: "early"), []) { result in
                if case .failure(let error) = result { parts.session.network = error.reason.rawValue }
            }
        }
        #expect(try session.read { parts, _ in parts.session.network } == "closed")
        session.run { parts, _ in parts.session.start() }
        _ = session.statements()
        session.clock.advance(by: 990_000_000)
        session.run { parts, _ in
            for _ in 0..<5 { parts.session.execute(Statement("SELECT 1", name: "other"), []) { _ in } }
        }
        #expect(session.statements() == [String](repeating: "other", count: 5))
        session.host.run { parts in
            for _ in 0..<5 { parts.session.execute(Statement("SELECT 1", name: "other"), []) { _ in } }
            session.clock.advance(by: 20_000_000)
            parts.session.reportsAvailable()
        }
        session.run()
        #expect(session.statements() == ["other", "renew_lease", "other", "other", "other", "other"])
    }
}
