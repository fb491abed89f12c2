// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import Glibc
import TestSupport
import Testing

@Suite("reachd fleet apply --watch", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)), .fleetServer)
struct FleetApplyWatchTests {
    /// A running command, killed at the latest when this object goes.
    private final class Watch: Sendable {
        let process: ChildProcess

        init(_ file: String, _ fleet: TestFleet) throws {
            process = try Reachd.start(["fleet", "apply", "--watch", file, "--database", fleet.uri])
        }

        deinit {
            process.kill(SIGKILL)
            process.wait()
        }

        func expect(_ line: String) throws { #expect(try #require(process.readLine()) == line) }

        func end(_ signal: Int32 = SIGTERM) -> Int32 {
            process.kill(signal)
            let rest = process.readAll()
            #expect(rest == "")
            return process.wait()
        }
    }

    private static func text(_ version: Int? = nil, _ ids: String...) -> String {
        (version.map { "version: \($0)\n" } ?? "")
            + "targets: [ \(ids.map { "{ id: \($0), address: 127.0.0.1 }" }.joined(separator: ", ")) ]"
    }

    private static let targets = "SELECT id FROM targets ORDER BY id"

    @Test(
        "Each change is applied once, with a line: rewritten in place, replaced, and by SIGHUP; SIGTERM and SIGINT end it with 0"
    )
    func changes() async throws {
        try await TestFleet.with { fleet in
            let folder = try TemporaryFolder()
            let file = try folder.write(Self.text(1, "a"), to: "f.yaml")
            let watch = try Watch(file, fleet)
            try watch.expect("applied version 1 of main: 1 added, 0 changed, 0 removed, 1 in all")
            try folder.write(Self.text(2, "a", "b"), to: "f.yaml")
            try watch.expect("applied version 2 of main: 1 added, 0 changed, 0 removed, 2 in all")
            try folder.replace(Self.text(nil, "b"), at: "f.yaml")
            let refused = try #require(watch.process.readLine())
            #expect(refused.hasPrefix("reachd: the source main has version 2 in the fleet (applied by "), "\(refused)")
            #expect(refused.hasSuffix("give it a higher one, or pass --force [version_missing]"), "\(refused)")
            try folder.replace(Self.text(3, "b"), at: "f.yaml")
            try watch.expect("applied version 3 of main: 0 added, 0 changed, 1 removed, 1 in all")
            #expect(try await fleet.rows(Self.targets) == ["b"])
            watch.process.kill(SIGHUP)
            try watch.expect("applied version 3 of main: 0 added, 0 changed, 0 removed, 1 in all")
            #expect(watch.end() == 0)
            let second = try Watch(file, fleet)
            try second.expect("applied version 3 of main: 0 added, 0 changed, 0 removed, 1 in all")
            #expect(second.end(SIGINT) == 0)
        }
    }

    @Test("A bad file is reported with its place and leaves what is applied; a file that comes later is applied")
    func invalid() async throws {
        try await TestFleet.with { fleet in
            let folder = try TemporaryFolder()
            let file = folder.path(of: "f.yaml")
            let watch = try Watch(file, fleet)
            try watch.expect("\(file): cannot be read: open: No such file or directory [unreadable]")
            try folder.replace(Self.text(nil, "a"), at: "f.yaml")
            try watch.expect("applied main: 1 added, 0 changed, 0 removed, 1 in all")
            try folder.replace("targets:\n  - { id: a, address: 127.0.0.1, colour: red }", at: "f.yaml")
            try watch.expect("\(file):2:34: 'colour' is not a key of a target [unknown_key]")
            #expect(try await fleet.rows(Self.targets) == ["a"])
            try folder.replace(Self.text(nil, "a", "b"), at: "f.yaml")
            try watch.expect("applied main: 1 added, 0 changed, 0 removed, 2 in all")
            #expect(watch.end() == 0)
        }
    }

    @Test("The link to a folder is pointed elsewhere, as Kubernetes updates a ConfigMap")
    func links() async throws {
        try await TestFleet.with { fleet in
            let folder = try TemporaryFolder()
            func link(_ target: String, _ name: String) {
                #expect(unsafe symlink(target, folder.path(of: name)) == 0)
            }
            try folder.write(Self.text(nil, "a"), to: "..1/targets.yaml")
            try folder.write(Self.text(nil, "a", "b"), to: "..2/targets.yaml")
            link("..1", "..data")
            link("..data/targets.yaml", "targets.yaml")
            let watch = try Watch(folder.path(of: "targets.yaml"), fleet)
            try watch.expect("applied main: 1 added, 0 changed, 0 removed, 1 in all")
            link("..2", "..new")
            #expect(unsafe rename(folder.path(of: "..new"), folder.path(of: "..data")) == 0)
            try watch.expect("applied main: 1 added, 0 changed, 0 removed, 2 in all")
            #expect(watch.end() == 0)
        }
    }

    @Test("A change while the database is away is reported once and applied when it is back")
    func outage() async throws {
        let server = try PostgreSQLServer()
        try await TestFleet.with(server) { fleet in
            let folder = try TemporaryFolder()
            let watch = try Watch(try folder.write(Self.text(nil, "a"), to: "f.yaml"), fleet)
            try watch.expect("applied main: 1 added, 0 changed, 0 removed, 1 in all")
            try server.stop()
            try folder.replace(Self.text(nil, "a", "b"), at: "f.yaml")
            let line = try #require(watch.process.readLine())
            #expect(line.hasPrefix("reachd: the fleet's database: "), "\(line)")
            try server.start()
            // While it starts, the server may refuse in other words.
            while let line = watch.process.readLine(), !line.hasPrefix("applied") {
                #expect(line.hasPrefix("reachd: the fleet's database: "), "\(line)")
            }
            try await fleet.reconnect()
            #expect(try await fleet.rows(Self.targets) == ["a", "b"])
            #expect(watch.end() == 0)
        }
        server.kill()
    }

    @Test(
        "Two processes with different files of one source: each writes when its file changes, the other leaves that, and warns later"
    )
    func twoHolders() async throws {
        try await TestFleet.with { fleet in
            let folder = try TemporaryFolder()
            let one = try Watch(try folder.write(Self.text(nil, "a"), to: "1.yaml"), fleet)
            try one.expect("applied main: 1 added, 0 changed, 0 removed, 1 in all")
            let two = try Watch(try folder.write(Self.text(nil, "b"), to: "2.yaml"), fleet)
            try two.expect("applied main: 1 added, 0 changed, 1 removed, 1 in all")
            try folder.replace(Self.text(nil, "a", "c"), at: "1.yaml")
            let warning = try #require(one.process.readLine())
            #expect(warning.hasPrefix("reachd: replaced other content of the source main, applied by "), "\(warning)")
            #expect(warning.hasSuffix("; with a version in each file an older one is refused"), "\(warning)")
            try one.expect("applied main: 2 added, 0 changed, 1 removed, 2 in all")
            // With versions the newest stays.
            try folder.replace(Self.text(2, "a"), at: "1.yaml")
            try one.expect("applied version 2 of main: 0 added, 0 changed, 1 removed, 1 in all")
            try folder.replace(Self.text(1, "b"), at: "2.yaml")
            let older = try #require(two.process.readLine())
            #expect(older.hasPrefix("reachd: version 1 of the source main is older than 2 in the fleet"), "\(older)")
            #expect(try await fleet.rows(Self.targets) == ["a"])
            #expect(one.end() == 0 && two.end() == 0)
            #expect(try await fleet.rows("SELECT count(*) FROM log WHERE type = 'config'") == ["5"])
        }
    }

    @Test("It applies, so that it cannot be a trial or forced")
    func usage() throws {
        for flag in ["--dry-run", "--force"] {
            let result = try Reachd.run([
                "fleet", "apply", "--watch", flag, "f.yaml", "--database", "postgresql:///reachd?user=reachd",
            ])
            #expect(result.status == 2 && result.output.contains("--watch applies"), "\(result.output)")
        }
    }
}
