// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import HTTPServer
import LinuxIO
import MonitoringTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Configuration
@testable import Monitoring
@testable import ReachAPI
@testable import Targets

@Suite("The state file")
struct StateFileTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "state.json")
    }

    private func contents() throws -> String? {
        try StateFile(path).read().map { String(decoding: $0, as: UTF8.self) }
    }

    private func ids(_ fixture: Fixture) throws -> [String] {
        try fixture.json("/targets")["targets"]?.array?.compactMap { $0["id"]?.string } ?? []
    }

    @Test(
        "A restart restores targets in order with their dependencies; only the owner can read the file"
    )
    func restart() throws {
        let first = Fixture(stateFile: StateFile(path))
        try first.configure("targets: [{id: gate, address: 127.0.0.1}]")
        first.send("POST", "/targets", #"{"id":"z","host":"a","depends_on":"gate"}"#)
        first.send("POST", "/targets", #"{"id":"a","host":"b","depends_on":["z"],"name":"\ud83d\ude00"}"#)
        var info = stat()
        #expect(unsafe stat(path, &info) == 0)
        #expect(info.st_mode & 0o777 == 0o600)
        let second = Fixture(stateFile: StateFile(path))
        try second.configure("targets: [{id: gate, address: 127.0.0.1}]")
        #expect(try ids(second) == ["gate", "z", "a"])
        #expect(try second.json("/targets/a")["depends_on"] == .array([.string("z")]))
        #expect(try second.json("/targets/a")["name"] == .string("😀"))
        // What it depends on may be gone meanwhile: that is no reason to forget it.
        let third = Fixture(stateFile: StateFile(path))
        try third.configure("auto_targets: false")
        #expect(try ids(third) == ["z", "a"])
        #expect(third.notes.all.allSatisfy { $0.level == .info })
    }

    @Test("A failed write changes neither the file nor memory", arguments: StateFile.Step.allCases.dropLast())
    func failingStep(step: StateFile.Step) throws {
        let failing = Mutex<Int32?>(nil)
        var file = StateFile(path)
        file.before = { (now: StateFile.Step) throws(SystemError) in
            guard now == step, let code = failing.withLock({ $0 }) else { return }
            throw SystemError(code: code, operation: "test")
        }
        let fixture = Fixture(stateFile: file)
        fixture.send("PUT", "/targets/a", #"{"host":"a"}"#)
        let before = try contents()
        let sequence = fixture.registry.sequence
        for (code, status, type) in [
            (ENOSPC, 507, "insufficient_storage"), (EDQUOT, 507, "insufficient_storage"), (EIO, 503, "not_persisted"),
        ] {
            failing.withLock { $0 = code }
            for (method, target) in [
                ("POST", "/targets"), ("PUT", "/targets/a"), ("PATCH", "/targets/a"), ("DELETE", "/targets/a"),
            ] {
                let response = fixture.send(method, target, method == "DELETE" ? "" : #"{"host":"b"}"#)
                #expect(response.status == status)
                #expect(try fixture.problem(response) == type)
            }
        }
        #expect(try contents() == before)
        #expect(fixture.registry.sequence == sequence)
        #expect(unsafe access(path + ".new", F_OK) != 0)
        failing.withLock { $0 = nil }
        #expect(fixture.send("PUT", "/targets/a", #"{"host":"b"}"#).status == 200)
    }

    @Test(
        "A damaged file is set aside and reported, and the service continues without it",
        arguments: [
            "", "{", "[]", "null", "{\"version\":2,\"targets\":[]}", "{\"version\":1}",
            "{\"version\":1,\"targets\":{}}",
            "\u{0}\u{0}\u{0}",
        ]
    )
    func damaged(text: String) throws {
        try folder.write(text, to: "state.json")
        let fixture = Fixture(stateFile: StateFile(path))
        #expect(fixture.notes.all.map(\.level) == [.error])
        #expect(fixture.notes.all.first?.text.contains("\(path).corrupt") == true)
        #expect(try StateFile(path + ".corrupt").read() == Array(text.utf8))
        #expect(try contents() == nil)
        #expect(fixture.send("PUT", "/targets/a", #"{"host":"a"}"#).status == 201)
        // A second one does not take the first one's place.
        try folder.write("{{", to: "state.json")
        _ = Fixture(stateFile: StateFile(path))
        #expect(try StateFile(path + ".corrupt").read() == Array(text.utf8))
        #expect(try StateFile(path + ".corrupt-2").read() == Array("{{".utf8))
    }

    @Test("A faulty target does not affect the others, and is kept")
    func faultyTarget() throws {
        let text = #"""
            {"version":1,"targets":[{"id":"a","host":"a"},{"id":"b","hots":"b"},{"id":"a","host":"x"},
            {"id":"c","host":"c","depends_on":"d"},{"id":"d","host":"d","depends_on":"c"}]}
            """#
        try folder.write(text, to: "state.json")
        let fixture = Fixture(stateFile: StateFile(path))
        try fixture.configure("auto_targets: false")
        #expect(try ids(fixture).first == "a")
        #expect(try ids(fixture).count == 2)
        #expect(fixture.notes.all.count { $0.level == .error } == 4)
        #expect(try contents() == text)
        fixture.send("PUT", "/targets/e", #"{"host":"e"}"#)
        #expect(try StateFile(path + ".corrupt").read() == Array(text.utf8))
    }

    @Test("A file that can be neither read nor set aside is not overwritten")
    func unreadable() throws {
        // A folder in its place: no file can be read there, and no link be made of it.
        try Command.run(["mkdir", path])
        let fixture = Fixture(stateFile: StateFile(path))
        #expect(fixture.notes.all.map(\.level) == [.error])
        let response = fixture.send("PUT", "/targets/a", #"{"host":"a"}"#)
        #expect(response.status == 503)
        #expect(try fixture.problem(response) == "not_persisted")
    }

    @Test("A configured target overrides an API target, which returns when the former is removed")
    func superseded() throws {
        let fixture = Fixture(stateFile: StateFile(path))
        try fixture.configure("auto_targets: false")
        fixture.send("PUT", "/targets/a", #"{"host":"from-api"}"#)
        fixture.send("PUT", "/targets/b", #"{"host":"b"}"#)
        let adopted = try fixture.configure("targets: [{id: a, host: from-file}]")
        #expect(adopted.superseded == ["a"])
        #expect(adopted.updated == ["a"])
        #expect(try fixture.json("/targets/a")["host"] == .string("from-file"))
        #expect(fixture.notes.all.contains { $0.level == .warning && $0.text.contains(" a ") })
        #expect(fixture.send("DELETE", "/targets/a").status == 409)
        // Changes of others do not forget it.
        fixture.send("PUT", "/targets/b", #"{"host":"c"}"#)
        let restarted = Fixture(stateFile: StateFile(path))
        #expect(try restarted.configure("auto_targets: false").added == ["a", "b"])
        #expect(try fixture.configure("auto_targets: false").updated == ["a"])
        #expect(try fixture.json("/targets/a")["host"] == .string("from-api"))
        #expect(try fixture.json("/targets/a")["origin"] == .string("api"))
    }

    @Test("A target of a target file yields to one of the same id, and returns")
    func found() throws {
        let fixture = Fixture()
        fixture.send("PUT", "/targets/a", #"{"host":"from-api"}"#)
        fixture.book.find([.address("a"), .address("b")])
        #expect(try fixture.json("/targets/a")["origin"] == .string("api"))
        #expect(try ids(fixture) == ["a", "b"])
        fixture.book.find([.address("b")])
        #expect(try ids(fixture) == ["a", "b"])
        fixture.book.find([])
        #expect(try ids(fixture) == ["a"])
    }

    @Test("New defaults in the configuration also apply to API targets")
    func defaults() throws {
        let fixture = Fixture()
        fixture.send("PUT", "/targets/a", #"{"host":"a"}"#)
        fixture.send("PUT", "/targets/b", #"{"host":"b","names":"optimistic"}"#)
        try fixture.configure("network: {names: pessimistic}")
        #expect(try fixture.json("/targets/a")["name_judgement"] == .string("pessimistic"))
        #expect(try fixture.json("/targets/b")["name_judgement"] == .string("optimistic"))
    }

    @Test("Concurrent writes and reloads: every acknowledged change is stored")
    func concurrency() async throws {
        let fixture = Fixture(stateFile: StateFile(path))
        let handler = fixture.handler
        let book = fixture.book
        let texts = (0..<2).map { Array("targets: [{id: c\($0), host: c}]".utf8) }
        let configurations = try texts.map { try ConfigurationLoader().load(bytes: $0, path: "").configuration }
        let all = await withTaskGroup(of: [String].self) { group in
            for writer in 0..<8 {
                group.addTask {
                    // Two writers want each id.
                    let ids = (0..<12).map { "t\(writer / 2)-\($0)" }
                    return ids.filter { id in
                        let request = HTTPRequest(
                            method: "POST",
                            path: "/targets",
                            headers: [HTTPHeader("Content-Type", "application/json")],
                            body: Array(#"{"id":"\#(id)","host":"h\#(writer)"}"#.utf8),
                            peer: "127.0.0.1:1"
                        )
                        let status = handler.respond(to: request).status
                        #expect(status == 201 || status == 409)
                        return status == 201
                    }
                }
            }
            group.addTask {
                for round in 0..<10 { book.apply(configurations[round % 2]) }
                return []
            }
            var all: [String] = []
            for await ids in group { all += ids }
            return all
        }
        try fixture.configure("auto_targets: false")
        #expect(all.count == 48)
        #expect(Set(try ids(fixture).filter { $0.hasPrefix("t") }) == Set(all))
        let list = try fixture.json("/targets?limit=1000")["targets"]?.array ?? []
        #expect(list.count == 48)
        let restarted = Fixture(stateFile: StateFile(path))
        try restarted.configure("auto_targets: false")
        #expect(try restarted.json("/targets?limit=1000")["total"] == .number(48))
    }
}
