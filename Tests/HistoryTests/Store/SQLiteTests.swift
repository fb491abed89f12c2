// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import History

@Suite("SQLite: connections, statements, errors")
struct SQLiteTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("Values come back as they went in, NULL and empty ones too")
    func values() throws {
        let database = try SQLiteDatabase(path: ":memory:", mode: .create)
        try database.execute("CREATE TABLE t(a, b, c, d, e)")
        let insert = try database.prepare("INSERT INTO t VALUES(?1, ?2, ?3, ?4, ?5)", isKept: true)
        for (number, text) in [(Int64.min, "ä\u{0}b"), (.max, "")] {
            try insert.bind(1, number)
            try insert.bind(2, text)
            try insert.bind(3, bytes: Array(text.utf8))
            try insert.bind(4, 0.25)
            try insert.bind(5, nil as String?)
            try insert.run()
        }
        let select = try database.prepare("SELECT * FROM t")
        for (number, text) in [(Int64.min, "ä\u{0}b"), (.max, "")] {
            #expect(try select.step())
            #expect(select.integer(0) == number)
            #expect(select.text(1) == text)
            #expect(select.bytes(2) == Array(text.utf8))
            #expect(select.fraction(3) == 0.25)
            #expect(select.text(4) == nil && select.bytes(4) == nil && select.integer(4) == nil)
        }
        #expect(try !select.step())
    }

    @Test("A transaction that fails leaves nothing behind")
    func transaction() throws {
        let database = try SQLiteDatabase(path: ":memory:", mode: .create)
        try database.execute("CREATE TABLE t(a UNIQUE)")
        #expect(throws: HistoryError.self) {
            try database.transaction { () throws(HistoryError) in
                try database.execute("INSERT INTO t VALUES(1)")
                try database.execute("INSERT INTO t VALUES(1)")
            }
        }
        #expect(try database.integer("SELECT count(*) FROM t") == 0)
        try database.transaction { () throws(HistoryError) in try database.execute("INSERT INTO t VALUES(1)") }
        #expect(try database.integer("SELECT count(*) FROM t") == 1)
    }

    @Test("Failures have stable codes")
    func failures() throws {
        let missing = #expect(throws: HistoryError.self) {
            _ = try SQLiteDatabase(path: folder.path(of: "no/such"), mode: .create)
        }
        #expect(missing?.code == .cannotOpen)
        let path = try folder.write(String(repeating: "no database ", count: 1000), to: "text")
        let other = #expect(throws: HistoryError.self) {
            _ = try SQLiteDatabase(path: path, mode: .readWrite).integer("SELECT count(*) FROM sqlite_schema")
        }
        #expect(other?.code == .corrupt)
        let busy = folder.path(of: "busy")
        let first = try SQLiteDatabase(path: busy, mode: .create)
        let second = try SQLiteDatabase(path: busy, mode: .create, patience: 0)
        try first.execute("BEGIN EXCLUSIVE")
        #expect(throws: HistoryError.self) { try second.execute("CREATE TABLE t(a)") }
        try first.execute("COMMIT")
        let reader = try SQLiteDatabase(path: busy, mode: .readOnly)
        let refused = #expect(throws: HistoryError.self) { try reader.execute("CREATE TABLE t(a)") }
        #expect(refused?.code == .readOnly)
        try first.execute("PRAGMA max_page_count = 2; CREATE TABLE t(a)")
        let full = #expect(throws: HistoryError.self) {
            try first.execute("INSERT INTO t VALUES(randomblob(100000))")
        }
        #expect(full?.code == .full)
    }
}
