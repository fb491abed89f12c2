// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import MonitoringTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Configuration
@testable import History
@testable import Monitoring
@testable import Targets

@Suite("Targets in a table")
struct DeclarationTableTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "targets.db")
    }

    /// A book over a table, as a process has it from its start.
    private struct Life {
        let registry = Registry(clock: FakeClock(), epoch: "e0")
        let source = FakeSource()
        let book: TargetStore
        let notes = Notes()

        init(_ file: DeclarationFile) {
            registry.connect(to: source)
            let notes = notes
            book = TargetStore(registry: registry, keeping: .table(file)) { notes.append($0) }
            book.apply(.standard)
        }

        @discardableResult
        func put(_ id: String, _ members: String = "") throws(TargetEditError) -> PutTarget {
            try book.put(id, Array("{\"host\":\"h\"\(members)}".utf8)) { _ in true }
        }

        func remove(_ id: String) throws(TargetEditError) { try book.remove(id) { _ in true } }

        var ids: [String] {
            registry.page(after: 0, limit: .max).records.compactMap { $0.target?.settings }.filter { $0.origin == .api }
                .map(\.id)
        }
    }

    private final class Notes: Sendable {
        private let notes = Mutex<[LogMessage]>([])
        var errors: [String] { notes.withLock { $0 }.filter { $0.level != .info }.map(\.text) }
        func append(_ note: LogMessage) { notes.withLock { $0.append(note) } }
    }

    @Test("are restored after a restart in their order, with their dependencies; only the owner may read the file")
    func restart() throws {
        let first = Life(DeclarationFile(path))
        for id in ["z", "a", "m"] { try first.put(id) }
        try first.put("a", #","group":"g","depends_on":["z"]"#)
        try first.remove("m")
        try first.put("b")
        var facts = stat()
        #expect(unsafe stat(path, &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600)
        // The first still has the file open, as a process that was killed had.
        let second = Life(DeclarationFile(path))
        #expect(second.ids == ["z", "a", "b"])
        #expect(second.registry.target("a")?.target?.settings.dependsOn == ["z"])
        #expect(second.registry.target("a")?.target?.settings.group == "g")
        #expect(second.notes.errors.isEmpty)
        #expect(second.book.storage == .file(path))
    }

    @Test(
        "that cannot be written stay unchanged, in memory and in the file",
        arguments: [DeclarationFile.Step.begin, .commit]
    )
    func failing(step: DeclarationFile.Step) throws {
        let failure = Mutex<HistoryError.Code?>(nil)
        var file = DeclarationFile(path)
        file.before = { (now: DeclarationFile.Step) throws(HistoryError) in
            if now == step, let code = failure.withLock({ $0 }) { throw HistoryError(code, "test") }
        }
        let life = Life(file)
        try life.put("a")
        let sequence = life.registry.sequence
        for (code, answer) in [(HistoryError.Code.full, TargetEditError.Code.noSpace), (.readOnly, .notWritten)] {
            failure.withLock { $0 = code }
            for edit in 0..<3 {
                let error = #expect(throws: TargetEditError.self) { try Self.edit(edit, life) }
                #expect(error?.code == answer)
            }
            #expect(life.book.storage.medium == .unavailable)
        }
        #expect(life.registry.sequence == sequence)
        #expect(Life(DeclarationFile(path)).ids == ["a"])
        failure.withLock { $0 = nil }
        try life.put("b")
        #expect(life.book.storage == .file(path))
        #expect(Life(DeclarationFile(path)).ids == ["a", "b"])
    }

    private static func edit(_ number: Int, _ life: Life) throws(TargetEditError) {
        switch number {
        case 0: try life.put("a", #","group":"g""#)
        case 1: try life.put("b")
        default: try life.remove("a")
        }
    }

    @Test("are written anew where their file was removed")
    func removed() throws {
        let life = Life(DeclarationFile(path))
        try life.put("a")
        for name in [path, path + "-wal", path + "-shm"] { unsafe unlink(name) }
        #expect(throws: TargetEditError.self) { try life.put("b") }
        try life.put("c")
        #expect(Life(DeclarationFile(path)).ids == ["a", "c"])
    }

    @Test("of a damaged file: it is kept beside, and a new one begins")
    func damaged() throws {
        try folder.write(String(repeating: "no database ", count: 1_000), to: "targets.db")
        let life = Life(DeclarationFile(path))
        #expect(life.notes.errors.count == 1)
        try life.put("a")
        #expect(Life(DeclarationFile(path)).ids == ["a"])
        #expect(try Command.run(["ls", folder.path]).contains("targets.db.corrupt-"))
    }

    @Test("of another program's file: the file is not changed, and nothing is read")
    func foreign() throws {
        _ = try SQLiteEventFile(path: path).open(now: Timestamp(milliseconds: 0))
        let life = Life(DeclarationFile(path))
        #expect(life.book.storage.medium == .unavailable)
        let error = #expect(throws: TargetEditError.self) { try life.put("a") }
        #expect(error?.code == .notWritten)
    }

    @Test("that are faulty stay in the file and take no others with them")
    func faulty() throws {
        let first = Life(DeclarationFile(path))
        for id in ["a", "b", "c"] { try first.put(id) }
        let database = try SQLiteDatabase(path: path, mode: .readWrite)
        try database.execute(#"UPDATE declarations SET declaration = '{"id":"b","hots":"b"}' WHERE id = 'b'"#)
        let second = Life(DeclarationFile(path))
        #expect(second.ids == ["a", "c"])
        #expect(second.notes.errors.count == 1)
        try second.put("d")
        #expect(try database.integer("SELECT count(*) FROM declarations") == 4)
    }

    @Test(
        "of a file that 0.1.0 wrote are imported once, wherever the process ends",
        arguments: DeclarationFile.Step.allCases
    )
    func imported(step: DeclarationFile.Step) throws {
        let text = """
            {"version":1,"targets":[
            {"id":"z","host":"z"},
            {"id":"a","host":"a","depends_on":["z"]}
            ]}

            """
        try folder.write(text, to: "targets.json")
        let json = folder.path(of: "targets.json")
        var ending = DeclarationFile(path, importing: json)
        ending.before = { (now: DeclarationFile.Step) throws(HistoryError) in
            if now == step { throw HistoryError(.other, "ended here") }
        }
        _ = Life(ending)
        let second = Life(DeclarationFile(path, importing: json))
        #expect(second.ids == ["z", "a"])
        #expect(second.notes.errors.isEmpty)
        #expect(try StateFile(json + ".imported").read() == Array(text.utf8))
        #expect(unsafe access(json, F_OK) != 0)
        try second.remove("a")
        #expect(Life(DeclarationFile(path, importing: json)).ids == ["z"])
        // Also where the file has its old name again, as after a kill between the two steps.
        unsafe rename(json + ".imported", json)
        #expect(Life(DeclarationFile(path, importing: json)).ids == ["z"])
    }

    @Test("of a damaged file of 0.1.0 are not imported, and the file is kept")
    func damagedImport() throws {
        try folder.write("{\"version\":1,\"targets\":[{", to: "targets.json")
        let json = folder.path(of: "targets.json")
        let life = Life(DeclarationFile(path, importing: json))
        #expect(life.notes.errors.count == 1)
        #expect(try StateFile(json + ".corrupt").read() != nil)
        try life.put("a")
        #expect(Life(DeclarationFile(path, importing: json)).ids == ["a"])
    }

    @Test("One change among thousands writes one row's pages")
    func small() throws {
        let life = Life(DeclarationFile(path))
        let list = (0..<3_000).map { #"{"id":"t\#($0)","host":"h"}"# }.joined(separator: ",")
        _ = try life.book.add(Array("{\"targets\":[\(list)]}".utf8))
        let database = try SQLiteDatabase(path: path, mode: .readWrite)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try life.put("t1500", #","group":"g""#)
        var facts = stat()
        #expect(unsafe stat(path + "-wal", &facts) == 0)
        // A header, and a frame or two of a page each.
        #expect((1...3 * 4_200).contains(facts.st_size))
    }
}
