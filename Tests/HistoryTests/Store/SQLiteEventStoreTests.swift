// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import TestSupport
import Testing

@testable import History

@Suite("The event store in an SQLite file")
struct SQLiteEventStoreTests {
    private let folder: TemporaryFolder
    private let now = Timestamp(milliseconds: 1_795_000_000_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ name: String = "log.db") -> SQLiteEventFile { SQLiteEventFile(path: folder.path(of: name)) }

    @Test("Written events are there after the file is reopened; epoch and sequences continue")
    func reopening() throws {
        let epoch: String
        let identity: String
        do {
            let store = try file().open(now: now).store
            (epoch, identity) = (store.epoch, store.identity)
            try store.append((1...10).events)
            store.close()
        }
        do {
            let store = try file().open(now: now).store
            #expect(store.epoch == epoch && store.identity == identity && store.head == 10 && store.oldest == 1)
            #expect(try store.events(after: 0, limit: 100) == (1...10).events)
            try store.adopt(epoch: "feed", head: 20, gaps: [])
            // Not closed: as if the process had been killed.
        }
        let store = try file().open(now: now).store
        #expect(store.epoch == "feed" && store.identity == identity && store.head == 20 && store.oldest == 1)
    }

    @Test("After another boot the epoch continues only if the log was closed properly", arguments: [true, false])
    func lostPower(_ isEnded: Bool) throws {
        let epoch: String
        do {
            let store = try file().open(now: now).store
            epoch = store.epoch
            try store.append((1...10).events)
            if isEnded { store.close() }
        }
        try SQLiteDatabase(path: folder.path(of: "log.db"), mode: .readWrite)
            .execute("UPDATE meta SET value = 'another' WHERE name = 'boot'")
        let store = try file().open(now: now).store
        #expect((store.epoch == epoch) == isEnded)
        #expect(store.head == 10)
    }

    @Test("A second user of a file gets the name of the first, until that is gone")
    func lock() throws {
        var first: SQLiteEventFile? = file()
        _ = try first?.open(now: now)
        let error = #expect(throws: HistoryError.self) { try file().open(now: now) }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("another process (PID ") == true)
        first = nil
        _ = try file().open(now: now)
    }

    @Test("Removing the files releases the lock: it is acquired again, or belongs to another process")
    func removedLock() throws {
        let first = file()
        _ = try first.open(now: now)
        func remove() throws { try Command.run(["sh", "-c", "rm \(folder.path)/log.db*"]) }
        try remove()
        _ = try first.open(now: now)
        #expect(#expect(throws: HistoryError.self) { try file().open(now: now) }?.code == .locked)
        try remove()
        let second = file()
        _ = try second.open(now: now)
        #expect(#expect(throws: HistoryError.self) { try first.open(now: now) }?.code == .locked)
    }

    @Test("Only the owner may read it")
    func mode() throws {
        _ = try file().open(now: now).store.append([.sample(1)])
        let listing = try Command.run(["stat", "-c", "%a", folder.path(of: "log.db"), folder.path(of: "log.db-wal")])
        #expect(listing == "600\n600\n")
    }

    @Test(
        "A damaged file is kept under another name, and a new one begins",
        arguments: ["no database at all, and longer than a header is, by far, so that it is read as one ......", "x"]
    )
    func damage(_ text: String) throws {
        let path = try folder.write(String(repeating: text, count: 200), to: "log.db")
        let opened = try file().open(now: now)
        #expect(opened.setAside == "\(path).corrupt-\(now)")
        #expect(opened.store.head == 0)
        try opened.store.append([.sample(1)])
        let kept = try FileContents.read("\(path).corrupt-\(now)", limit: 1 << 20)
        #expect(kept == Array(String(repeating: text, count: 200).utf8))
    }

    @Test("Damage that shows later has the file set aside too")
    func lateDamage() throws {
        let file = file()
        do { try file.open(now: now).store.append((1...10).events) }
        let opened = try file.open(isCorrupt: true, now: now)
        #expect(opened.setAside != nil && opened.store.head == 0)
        let again = try file.open(isCorrupt: true, now: now)
        #expect(again.setAside == "\(file.path).corrupt-\(now)-2")
    }

    @Test("A file of another program, or of a later version, is not changed")
    func strangers() throws {
        let foreign = try SQLiteDatabase(path: folder.path(of: "foreign"), mode: .create)
        try foreign.execute("CREATE TABLE theirs(a)")
        #expect(#expect(throws: HistoryError.self) { try file("foreign").open(now: now) }?.code == .foreign)
        #expect(try foreign.integer("SELECT count(*) FROM theirs") == 0)
        do { try file().open(now: now).store.close() }
        let database = try SQLiteDatabase(path: folder.path(of: "log.db"), mode: .readWrite)
        try database.execute("PRAGMA user_version = 1000")
        let error = #expect(throws: HistoryError.self) { try file().open(now: now) }
        #expect(error?.code == .tooNew && error?.message.contains("version 1000") == true)
        #expect(try Command.run(["ls", folder.path]).contains("corrupt") == false)
    }

    @Test("A file of each earlier version is migrated; if the migration fails it is unchanged")
    func migration() throws {
        do { try file().open(now: now).store.append((1...5).events) }
        let current = SQLiteSchema.current
        let next = SQLiteSchema(
            migrations: current.migrations + ["ALTER TABLE events ADD COLUMN added INTEGER NOT NULL DEFAULT 7"]
        )
        let broken = SQLiteSchema(migrations: next.migrations + ["CREATE TABLE new(a); INSERT INTO nowhere VALUES(1)"])
        let path = folder.path(of: "log.db")
        #expect(throws: HistoryError.self) { try SQLiteEventFile(path: path, schema: broken).open(now: now) }
        do {
            let database = try SQLiteDatabase(path: path, mode: .readOnly)
            #expect(try database.integer("PRAGMA user_version") == next.version)
            #expect(try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'new'") == 0)
        }
        let store = try SQLiteEventFile(path: path, schema: next).open(now: now).store
        #expect(try store.events(after: 0, limit: 10) == (1...5).events)
        let database = try SQLiteDatabase(path: path, mode: .readOnly)
        #expect(try database.integer("SELECT sum(added) FROM events") == 35)
        #expect(try database.integer("PRAGMA auto_vacuum") == 2)
    }

    @Test("A file that was removed or replaced takes nothing more", arguments: ["log.db", "log.db-wal"])
    func removal(_ name: String) throws {
        let store = try file().open(now: now).store
        try store.append([.sample(1)])
        try Command.run(["rm", folder.path(of: name)])
        let removed = #expect(throws: HistoryError.self) { try store.append([.sample(2)]) }
        #expect(removed?.code == .removed)
        try folder.write("", to: name)
        #expect(#expect(throws: HistoryError.self) { try store.append([.sample(2)]) }?.code == .removed)
        #expect(store.head == 1)
    }

    @Test("A file without a folder, or a folder without permission, is reported")
    func noPlace() throws {
        let error = #expect(throws: HistoryError.self) { try file("no/such/log.db").open(now: now) }
        #expect(error?.code == .cannotOpen)
        try folder.write("", to: "plain")
        #expect(#expect(throws: HistoryError.self) { try file("plain/log.db").open(now: now) }?.code == .cannotOpen)
    }

    @Test("A copy is made while the log is written; it has another identity and epoch")
    func backup() throws {
        let store = try file().open(now: now).store
        try store.append((1...1000).events)
        try store.backUp(to: folder.path(of: "copy.db"))
        try store.append((1001...1010).events)
        let copy = try file("copy.db").open(now: now).store
        #expect(try copy.events(after: 0, limit: 2000) == (1...1000).events)
        #expect(copy.epoch != store.epoch && copy.identity != store.identity)
        try copy.append([.sample(1001)])
        #expect(throws: HistoryError.self) { try store.backUp(to: folder.path(of: "copy.db")) }
        #expect(throws: HistoryError.self) { try store.backUp(to: folder.path(of: "no/copy.db")) }
        #expect(throws: HistoryError.self) { try SQLiteBackup.copy(folder.path(of: "none"), to: folder.path(of: "b")) }
        #expect(try Command.run(["ls", folder.path]).contains("partial") == false)
    }

    @Test("Room that was freed goes back to the file system")
    func vacuum() throws {
        let store = try file().open(now: now).store
        for start in stride(from: UInt64(1), to: 20_000, by: 1000) {
            try store.append((start...(start + 999)).map { .sample($0, size: 1000) })
        }
        while try store.trim(to: RetentionLimit(age: .seconds(1 << 40), bytes: 1 << 20), now: nil) {}
        store.close()
        let size = try Command.run(["stat", "-c", "%s", folder.path(of: "log.db")])
        #expect(Int(size.dropLast()).map { $0 < 8 << 20 } == true)
    }

    @Test("The write-ahead log is copied into the file when no event waits, or when it is large")
    func copies() throws {
        let store = try file().open(now: now).store
        func size(_ name: String) throws -> Int {
            try #require(Int(try Command.run(["stat", "-c", "%s", folder.path(of: name)]).dropLast()))
        }
        func append(_ megabytes: ClosedRange<Int>) throws {
            for megabyte in megabytes {
                let start = UInt64(megabyte) * 1000 + 1
                try store.append((start...(start + 999)).map { .sample($0, size: 1000) })
            }
        }
        try append(0...1)
        #expect(!store.wantsRest)
        try store.rest()
        #expect(try size("log.db") < 1 << 20)
        try append(2...8)
        #expect(store.wantsRest)
        #expect(try size("log.db") < 1 << 20)
        try store.rest()
        #expect(!store.wantsRest)
        #expect(try size("log.db") > 8 << 20)
        try append(9...79)
        #expect(try size("log.db-wal") < 24 << 20)
        #expect(try size("log.db") > 56 << 20)
    }

    @Test("Labels survive whatever they hold")
    func tags() {
        for tags in [[:], ["a": "b"], ["": ""], ["a=b": "c\nd", "\\n": "\\", "e\\": "=\n="], ["ä": "ö\u{0}"]] {
            #expect(TagText.tags(TagText.text(tags)) == tags)
        }
    }
}
