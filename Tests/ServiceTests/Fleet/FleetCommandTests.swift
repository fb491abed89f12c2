// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@Suite("reachd fleet: wrong input") struct FleetInputTests {
    private static let database = ["--database", "postgresql:///reachd?user=reachd&host=/nonexistent"]

    @Test("Everything that is wrong in a document is listed with its place, before any connection; exit status 1")
    func document() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            source: main
            colour: red
            settings: { lease: 1s, colour: 3 }
            watch: { watchers: 2, quorum: 3 }
            targets:
              - { id: a, address: 127.0.0.1 }
              - { id: a, address: 127.0.0.2, colour: red }
              - { id: b, address: 127.0.0.2, watch: { watchers: 3, quorum: 4 } }
              - { id: c, address: "${ADDRESS}" }
            """,
            to: "fleet.yaml"
        )
        let result = try Reachd.run(["fleet", "apply", file] + Self.database)
        #expect(result.status == 1)
        #expect(
            result.lines == [
                "\(file):2:1: 'colour' is not a key of the fleet's file [unknown_key]",
                "\(file):3:24: 'colour' is not a key of the fleet's settings [unknown_key]",
                "\(file):4:31: quorum is greater than watchers [out_of_range]",
                "\(file):7:11: another target has the id 'a', on line 6 [duplicate_id]",
                "\(file):7:34: 'colour' is not a key of a target [unknown_key]",
                "\(file):8:64: quorum is greater than watchers [out_of_range]",
                "\(file):9:23: '${ADDRESS}' is not an IP address [invalid_value]",
            ]
        )
    }

    @Test(
        "A document that cannot be read, is not YAML or lacks targets",
        arguments: [
            (nil, ": cannot be read: open: No such file or directory [unreadable]"),
            ("targets: [", ":1:"),
            ("source: main", "targets"),
            ("", "targets"),
        ] as [(String?, String)]
    )
    func unreadable(text: String?, expected: String) throws {
        let folder = try TemporaryFolder()
        if let text { try folder.write(text, to: "fleet.yaml") }
        let result = try Reachd.run(["fleet", "apply", folder.path(of: "fleet.yaml")] + Self.database)
        #expect(result.status == 1 && result.output.contains(expected), "\(result.output)")
        #expect(result.lines.count == 1)
    }

    @Test("Without a database, and with an unknown word, the exit status is 2 and the next step is named")
    func usage() throws {
        let none = try Reachd.run(["fleet", "status"])
        #expect(none.status == 2)
        #expect(none.output.contains("set fleet.database in the configuration, or pass --database URI"))
        #expect(try Reachd.run(["fleet", "nonsense"]).status == 2)
        #expect(try Reachd.run(["fleet", "drain"] + Self.database).status == 2)
        let name = try Reachd.run(["fleet", "init", "--schema", "a\"b"] + Self.database)
        #expect(name.status == 2, "\(name.output)")
    }

    @Test("A password in the database's URI is refused and not repeated, in the configuration and on the command line")
    func password() throws {
        let folder = try TemporaryFolder()
        let uri = "postgresql://reachd:s3cret@db.example/reachd"
        let file = try folder.write("fleet: { database: \"\(uri)\" }", to: "a.yaml")
        for (arguments, status, place) in [
            (["status", "--config", file], 78, "\(file):1:20: "), (["nodes", "--database", uri], 2, "reachd: "),
        ] as [([String], Int32, String)] {
            let result = try Reachd.run(["fleet"] + arguments)
            #expect(result.status == status && result.output.hasPrefix(place), "\(result.output)")
            #expect(result.output.contains("the URI contains a password"), "\(result.output)")
            #expect(!result.output.contains("s3cret"), "\(result.output)")
        }
    }

    @Test("A cycle and an unknown parent in a document are found, with their places")
    func dependencies() throws {
        let folder = try TemporaryFolder()
        for (parent, words) in [("a", "depend on each other"), ("nobody", "there is no target 'nobody' to depend on")] {
            let file = try folder.write(
                """
                targets:
                  - { id: a, address: 127.0.0.1, depends_on: b }
                  - { id: b, address: 127.0.0.1, depends_on: \(parent) }
                """,
                to: "fleet.yaml"
            )
            let result = try Reachd.run(["fleet", "apply", file] + Self.database)
            #expect(result.status == 1 && result.lines.count == 1, "\(result.output)")
            #expect(result.output.hasPrefix("\(file):") && result.output.contains(words), "\(result.output)")
        }
    }

    @Test(
        "The configuration's database is used; what is wrong in its fleet section has its place, and the exit status is 78"
    )
    func configuration() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "fleet: { database: \"postgresql:///reachd?user=reachd&host=/nonexistent\" }",
            to: "a.yaml"
        )
        let used = try Reachd.run(["fleet", "status", "--config", file])
        #expect(used.status == 69 && used.output.contains("/nonexistent"), "\(used.output)")
        let variable = try Reachd.run(
            ["fleet", "status"],
            environment: ["REACHD_FLEET_DATABASE": "postgresql:///reachd?user=reachd&host=/elsewhere"]
        )
        #expect(variable.status == 69 && variable.output.contains("/elsewhere"), "\(variable.output)")
        let wrong = try folder.write("fleet: { colour: red, capacity: -1 }", to: "b.yaml")
        for command in [["fleet", "status", "--config", wrong], ["serve", "--config", wrong]] {
            let result = try Reachd.run(command)
            #expect(result.status == 78)
            #expect(
                result.output.contains("\(wrong):1:10: 'colour' is not a key of fleet [unknown_key]"),
                "\(result.output)"
            )
            #expect(result.lines.count == 2, "\(result.output)")
        }
    }
}

@Suite("reachd fleet: sources", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)), .fleetServer)
struct FleetSourceTests {
    @Test(
        "Two sources declare one id: the second is refused as a whole, with the id and the first source; exit status 1"
    )
    func conflict() async throws {
        try await TestFleet.with { fleet in
            try fleet.apply("source: one\ntargets: [ { id: a, address: 127.0.0.1 } ]", prints: "+ a\napplied: 1 added")
            let folder = try TemporaryFolder()
            let text = "source: two\ntargets: [ { id: a, address: 127.0.0.2 }, { id: b, address: 127.0.0.2 } ]"
            let file = try folder.write(text, to: "two.yaml")
            let refused = try fleet.command("apply", file)
            #expect(refused.status == 1)
            #expect(refused.lines == ["\(file): the source one declares the target a already [conflict]"])
            #expect(try await fleet.rows("SELECT id, source FROM targets") == ["a one"])
            // A source that no longer has it leaves it to another one.
            try fleet.apply("source: one\ntargets: []", prints: "- a\napplied: 0 added, 0 changed, 1 removed, 0 in all")
            #expect(
                try fleet.command("apply", file).lines == [
                    "+ a", "+ b", "applied: 2 added, 0 changed, 0 removed, 2 in all",
                ]
            )
            #expect(try fleet.command("apply", file).lines == ["applied: 0 added, 0 changed, 0 removed, 2 in all"])
        }
    }

    @Test("A dry run prints the difference and writes nothing; a second init changes nothing")
    func trial() async throws {
        try await TestFleet.with { fleet in
            let folder = try TemporaryFolder()
            let file = try folder.write(
                "settings: { lease: 7s }\ntargets: [ { id: a, address: 127.0.0.1 } ]",
                to: "f.yaml"
            )
            let trial = try fleet.command("apply", "--dry-run", file)
            #expect(trial.lines == ["+ a", "~ settings", "not applied: 1 added, 0 changed, 0 removed, 1 in all"])
            #expect(try await fleet.rows("SELECT count(*) FROM targets") == ["0"])
            #expect(try fleet.command("apply", file).lines.last == "applied: 1 added, 0 changed, 0 removed, 1 in all")
            #expect(try await fleet.rows("SELECT settings FROM log_head")[0].contains("7"))
            let admin = fleet.uri.replacing("user=reachd", with: "user=admin")
            let before = try await fleet.rows("SELECT identity, epoch, declared FROM log_head")
            for command in [["init"], ["migrate"]] {
                #expect(try Reachd.run(["fleet"] + command + ["--database", admin]).status == 0)
            }
            #expect(try await fleet.rows("SELECT identity, epoch, declared FROM log_head") == before)
            let node = try fleet.command("init")
            #expect(node.status == 1 || node.status == 0, "\(node.output)")
        }
    }
}

@Suite("reachd fleet: refused files and nodes", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)), .fleetServer)
struct FleetRefusalTests {
    private static let before =
        "SELECT declared, seq, (SELECT count(*) FROM targets), (SELECT count(*) FROM sources) FROM log_head"

    private func targets(_ count: Int) -> String {
        "targets:\n" + (0..<count).map { "- { id: t\($0), address: 127.0.0.1 }\n" }.joined()
    }

    @Test("Too many targets for the fleet: the code is named, and nothing is applied")
    func tooMany() async throws {
        try await TestFleet.with { fleet in
            let folder = try TemporaryFolder()
            try fleet.apply("settings: { max_targets: 3 }\ntargets: [ { id: a, address: 127.0.0.1 } ]", prints: "+ a")
            let before = try await fleet.rows(Self.before)
            let file = try folder.write("source: two\n" + targets(3), to: "f.yaml")
            let result = try fleet.command("apply", file)
            #expect(result.status == 1 && result.output.hasSuffix("allows 3 [max_targets]\n"), "\(result.output)")
            #expect(try await fleet.rows(Self.before) == before)
        }
    }

    @Test("A schema of another version, or a role without membership, is refused with its code; nothing is written")
    func schema() async throws {
        try await TestFleet.with { fleet in
            let folder = try TemporaryFolder()
            let file = try folder.write(targets(1), to: "f.yaml")
            func execute(_ sql: String) throws { try fleet.server.execute(sql, database: fleet.database) }
            try execute("INSERT INTO reachd.schema_versions (version, needs) VALUES (99, 99)")
            for command in [["apply", file], ["drain", "a"]] {
                let result = try Reachd.run(["fleet"] + command + ["--database", fleet.uri])
                #expect(result.status == 69 && result.output.hasSuffix("[schema_too_new]\n"), "\(result.output)")
            }
            #expect(try fleet.command("status").status == 0, "what is read is understood")
            try execute("DELETE FROM reachd.schema_versions WHERE version > 1")
            for command in [["apply", file], ["status"]] {
                let result = try Reachd.run(["fleet"] + command + ["--database", fleet.uri])
                #expect(result.status == 69 && result.output.contains("reachd fleet migrate"), "\(result.output)")
            }
            try execute("CREATE ROLE stranger LOGIN; ALTER ROLE stranger SET search_path = reachd")
            let stranger = fleet.uri.replacing("user=reachd", with: "user=stranger")
            let result = try Reachd.run(["fleet", "status", "--database", stranger])
            #expect(result.status == 69 && result.output.hasSuffix("[role_missing]\n"), "\(result.output)")
            #expect(try await fleet.rows("SELECT count(*) FROM targets") == ["0"])
        }
    }

    @Test("More than 100 changes are counted, and a dry run lists them")
    func many() async throws {
        try await TestFleet.with { fleet in
            let folder = try TemporaryFolder()
            let file = try folder.write(targets(101), to: "f.yaml")
            let trial = try fleet.command("apply", "--dry-run", file)
            #expect(trial.lines.count == 102 && trial.lines.last?.hasPrefix("not applied: 101 added") == true)
            #expect(try fleet.command("apply", file).lines == ["applied: 101 added, 0 changed, 0 removed, 101 in all"])
        }
    }

    @Test("Versions: an older file is refused with exit status 1 and its code, and applied with --force")
    func versions() async throws {
        try await TestFleet.with { fleet in
            let folder = try TemporaryFolder()
            let text = "targets: [ { id: a, address: 127.0.0.1 } ]"
            try fleet.apply("version: 2\n" + text, prints: "+ a\napplied: 1 added")
            let file = try folder.write("version: 1\ntargets: []", to: "f.yaml")
            for more in [[], ["--dry-run"]] {
                let refused = try Reachd.run(["fleet", "apply", file] + more + ["--database", fleet.uri])
                #expect(refused.status == 1 && refused.output.hasSuffix("[version_older]\n"), "\(refused.output)")
            }
            #expect(try await fleet.rows("SELECT id FROM targets") == ["a"])
            let forced = try fleet.command("apply", "--force", file)
            #expect(forced.lines == ["- a", "applied: 0 added, 0 changed, 1 removed, 0 in all"])
        }
    }

    @Test(
        "A target for a location that no node has is declared, unknown, and counted by fleet status; other targets are watched"
    )
    func nowhere() async throws {
        try await TestFleet.with { fleet in
            let port = try TargetPort()
            let nodes = try await fleet.start(["a"])
            let probe = "probe: { type: tcp, port: \(port.port), interval: 1s }"
            try fleet.apply(
                """
                targets:
                  - { id: here, address: 127.0.0.1, \(probe) }
                  - { id: there, address: 127.0.0.1, \(probe), watch: { locations: nowhere } }
                """,
                prints: "2 added"
            )
            try await fleet.change(of: "here", to: "up")
            try await fleet.expect("SELECT state, rule FROM verdicts WHERE target = 'there'", "unknown no_location")
            let status = try fleet.command("status")
            #expect(status.output.contains("1 targets have no node: add nodes, or raise fleet.capacity [capacity]"))
            #expect(status.output.contains("commits await no standby"), "\(status.output)")
            let json = try fleet.command("status", "--json").output
            #expect(json.contains(#""is_durable":false,"problems":[{"code":"capacity","#), "\(json)")
            // The doctor asks the database and the service that runs with the same configuration.
            let doctor = try nodes[0].doctor()
            #expect(doctor.contains("warn  fleet_capacity"), "\(doctor)")
            #expect(doctor.contains("the database has the fleet"), "\(doctor)")
            withExtendedLifetime((nodes, port)) {}
        }
    }

    @Test("fleet nodes lists the nodes with all that is known of them, or shows one")
    func nodes() async throws {
        try await TestFleet.with { fleet in
            #expect(try fleet.command("nodes").lines == ["no nodes: start reachd with fleet.database"])
            #expect(try fleet.command("nodes", "--json").output == "[]\n")
            let a = try await fleet.start(
                "a",
                location: "berlin",
                more: ", url: \"https://a.example:7532\", capacity: 7"
            )
            let b = try await fleet.start("b", location: "paris")
            for node in [a, b] { try await node.line("registered in the fleet") }
            let lines = try fleet.command("nodes").lines
            #expect(
                lines.count == 3 && lines[0].hasPrefix("NODE  LOCATION  STATE  TARGETS  CAPACITY  BACKLOG"),
                "\(lines)"
            )
            #expect(lines[1].hasPrefix("a     berlin    live"), "\(lines)")
            #expect(
                lines[1].hasSuffix("https://a.example:7532") && lines[2].hasPrefix("b     paris     live"),
                "\(lines)"
            )

            let one = try fleet.command("nodes", "a").output
            for text in ["node", "berlin", "live", "0 of at most 7", "https://a.example:7532", "clock difference"] {
                #expect(one.contains(text), "\(one)")
            }
            let json = try fleet.command("nodes", "a", "--json").output
            #expect(json.hasPrefix(#"{"name":"a","location":"berlin","state":"live","is_isolated":false,"#), "\(json)")
            for member in [#""since":"2"#, #""capacity":7"#, #""skew_seconds":"#, #""receivers":[]"#] {
                #expect(json.contains(member), "\(json)")
            }
            let unknown = try fleet.command("nodes", "nobody")
            #expect(unknown.status == 1)
            #expect(unknown.lines == ["reachd: the fleet has no node nobody; reachd fleet nodes lists all"])
        }
    }
}
