// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@Suite("A fleet's database that cannot be used", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)), .fleetServer)
struct FaultyDatabaseTests {
    /// What is wrong with a database, and what the node's log and the commands have to say.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        /// The URI and the password file, of a fleet's server.
        let place: @Sendable (PostgreSQLServer) -> (uri: String, passwordFile: String?)
        let code: String
        let words: String
        var testDescription: String { name }
    }

    static let faults = [
        Fault(
            name: "a wrong password",
            place: { (($0.uri()), "/etc/hostname") },
            code: "authentication_failed",
            words: "password"
        ),
        Fault(name: "no password", place: { ($0.uri(), nil) }, code: "authentication_failed", words: "password_file"),
        Fault(
            name: "no password file",
            place: { ($0.uri(), "/nonexistent/password") },
            code: "password_file",
            words: "/nonexistent/password"
        ),
        Fault(
            name: "no such database",
            place: { ("postgresql:///nowhere?host=\($0.folder.path)&port=\($0.port)&user=reachd", nil) },
            code: "no_such_database",
            words: "nowhere"
        ),
        Fault(
            name: "no schema",
            place: { ("postgresql:///reachd?host=\($0.folder.path)&port=\($0.port)&user=reachd", nil) },
            code: "schema_missing",
            words: "run reachd fleet init --schema reachd --user reachd"
        ),
        Fault(
            name: "an unknown host",
            place: { _ in ("postgresql://reachd@absent.invalid/reachd", nil) },
            code: "resolution_failed",
            words: "absent.invalid"
        ),
        Fault(
            name: "no server",
            place: { _ in ("postgresql:///reachd?user=reachd&host=/nonexistent", nil) },
            code: "unreachable",
            words: "/nonexistent"
        ),
        Fault(
            name: "no TLS, which is required unless the URI says otherwise",
            place: { ("postgresql://reachd@127.0.0.1:\($0.port)/reachd", $0.passwordFile) },
            code: "tls_failed",
            words: "server does not support SSL"
        ),
    ]

    @Test(
        "serve starts, watches its own targets, and logs one line with the reason and the next step",
        arguments: faults
    )
    func serve(_ fault: Fault) async throws {
        let place = fault.place(try FleetServer.current())
        let node = try await FleetProcess(
            "a",
            fleet: "database: \"\(place.uri)\"" + (place.passwordFile.map { ", password_file: \($0)" } ?? ""),
            configuration: "targets: [ { id: own, address: 127.0.0.1 } ]"
        )
        let line = try await node.line("the fleet's database cannot be used")
        #expect(line.contains("reason=\(fault.code)"), "\(line)")
        #expect(line.contains(fault.words), "\(line)")
        #expect(line.contains(" warning "), "\(line)")
        try await awaitValue("the own target is up") { try node.state(of: "own") == "up" ? true : nil }
        #expect(try await node.terminate() == 0)
        #expect(node.lines("the fleet's database cannot be used").count == 1, "\(node.log.events)")
        #expect(!node.log.events.contains { $0.contains(PostgreSQLServer.password) })
    }

    @Test("The commands exit with 69 and the reason", arguments: faults)
    func commands(_ fault: Fault) async throws {
        let place = fault.place(try FleetServer.current())
        let folder = try TemporaryFolder()
        let file = try folder.write("targets: []", to: "fleet.yaml")
        let options = ["--database", place.uri] + (place.passwordFile.map { ["--password-file", $0] } ?? [])
        for command in [["status"], ["apply", file], ["drain", "a"]] {
            let result = try Reachd.run(["fleet"] + command + options)
            #expect(result.status == 69, "\(command): \(result.output)")
            #expect(result.output.contains("[\(fault.code)]"), "\(command): \(result.output)")
            #expect(result.lines.count == 1, "\(command): \(result.output)")
        }
    }

    @Test("The schema is removed while a node runs: it logs the reason, keeps its targets, and works when it is back")
    func removed() async throws {
        try await TestFleet.with(settings: "{ lease: 1s }") { fleet in
            let port = try TargetPort()
            let node = try await fleet.start("a")
            try fleet.declare(["t1": port.port])
            try await fleet.becomesUp(["t1"])
            try await fleet.rows("DROP SCHEMA reachd CASCADE")
            try await node.line("run reachd fleet init --schema reachd --user reachd")
            port.close()
            try await awaitValue("t1 is down on the node") { try node.state(of: "t1") == "down" ? true : nil }
            let status = try fleet.command("status")
            #expect(status.status == 69 && status.output.contains("run reachd fleet init"), "\(status.output)")
            try port.open()
            let again = try Reachd.run([
                "fleet", "init", "--database", fleet.uri.replacing("user=reachd", with: "user=admin"),
            ])
            #expect(again.status == 0, "\(again.output)")
            try await node.line("the fleet's database can be used again")
            try fleet.declare(["t2": port.port])
            try await fleet.change(of: "t2", to: "up")
        }
    }

    @Test("The server becomes a standby: nodes log the reason and the next step, and the status can still be read")
    func standby() async throws {
        // A standby can read only a log with its details.
        let server = try PostgreSQLServer(settings: ["wal_level": "replica"])
        try await TestFleet.with(server, settings: "{ lease: 1s }") { fleet in
            let port = try TargetPort()
            let node = try await fleet.start("a")
            try fleet.declare(["t1": port.port])
            try await fleet.becomesUp(["t1"])
            try server.stop()
            try server.folder.write("", to: "data/standby.signal")
            try server.start()
            let line = try await node.line("reason=standby")
            #expect(line.contains("the fleet's database cannot be used"), "\(line)")
            #expect(line.contains("target_session_attrs=read-write"), "\(line)")
            port.close()
            try await awaitValue("t1 is down on the node") { try node.state(of: "t1") == "down" ? true : nil }
            let status = try fleet.command("status")
            #expect(status.status == 0 && status.lines.first == "1 targets: 1 up", "\(status.output)")
            let drain = try fleet.command("drain", "a")
            #expect(drain.status == 69 && drain.output.contains("[standby]"), "\(drain.output)")
            let primary = try Reachd.run([
                "fleet", "status", "--database", fleet.uri + "&target_session_attrs=read-write",
            ])
            #expect(primary.status == 69 && primary.output.contains("[wrong_session]"), "\(primary.output)")
        }
    }

    @Test("A server that allows no writes is reported as read_only or standby, and used again afterwards")
    func readOnly() async throws {
        try await TestFleet.with(settings: "{ lease: 1s }") { fleet in
            try await fleet.rows("ALTER DATABASE \(fleet.database) SET default_transaction_read_only = on")
            let node = try await fleet.start("a")
            let line = try await node.line("the fleet's database cannot be used")
            #expect(line.contains("reason=read_only") || line.contains("reason=standby"), "\(line)")
            let drained = try fleet.command("drain", "a")
            #expect(drained.status == 69 && drained.output.contains("[standby]"), "\(drained.output)")
            try await fleet.rows("ALTER DATABASE \(fleet.database) RESET default_transaction_read_only")
            try await node.line("registered in the fleet")
            try await node.line("the fleet's database can be used again")
        }
    }
}
