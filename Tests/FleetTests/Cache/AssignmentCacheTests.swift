// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Fleet

@Suite("The cache of assignments")
struct AssignmentCacheTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let messages = Recorder<LogMessage>()
    private let writes = Recorder<Int>()

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path(of: "reachd.db.assignments") }

    /// The error that the steps of a write have.
    private final class Faults: Sendable {
        let code: Atomic<Int32>
        init(fault: Int32 = 0) { code = Atomic(fault) }
    }

    private func makeCache(_ faults: Faults) throws -> AssignmentCache {
        var file = StateFile(path)
        file.before = { [writes] (step: StateFile.Step) throws(SystemError) in
            guard step == .write else { return }
            writes.record(1)
            let code = faults.code.load(ordering: .relaxed)
            if code != 0 { throw SystemError(code: code, operation: "write") }
        }
        return try AssignmentCache(file, clock: clock) { [messages] in messages.record($0) }
    }

    private static let sample = CachedAssignmentsTests.sample()
    private static let owner = CachedAssignmentsTests.owner

    @Test("what was saved is loaded by another process, which alone may read the file")
    func saved() throws {
        let cache = try makeCache(Faults())
        #expect(cache.load(Self.owner) == nil && cache.status.fault == nil, "there is no file yet")
        cache.save { Self.sample }
        cache.close(within: .seconds(10))
        #expect(cache.status.savedAt != nil)
        let other = try makeCache(Faults())
        #expect(other.load(Self.owner) == Self.sample)
        #expect(try Command.run(["stat", "--format", "%a", path]).hasPrefix("600"))
        #expect(messages.events.isEmpty)
        other.close(within: .seconds(10))
    }

    @Test("requests within a second are one write, of the newest")
    func gathered() throws {
        let cache = try makeCache(Faults())
        for count in 1...5 { cache.save { CachedAssignmentsTests.sample(count) } }
        cache.close(within: .seconds(10))
        #expect(writes.count == 1)
        let other = try makeCache(Faults())
        #expect(other.load(Self.owner) == CachedAssignmentsTests.sample(5))
        other.close(within: .seconds(10))
    }

    @Test("a file of another node, location, database or role is not used, and the log says so")
    func otherOwner() throws {
        let cache = try makeCache(Faults())
        cache.save { Self.sample }
        cache.close(within: .seconds(10))
        let owners = [
            CachedAssignments.Owner(node: "node-2", location: "berlin", database: "reachd", role: "reachd"),
            CachedAssignments.Owner(node: "node-1", location: "paris", database: "reachd", role: "reachd"),
            CachedAssignments.Owner(node: "node-1", location: "berlin", database: "other", role: "reachd"),
            CachedAssignments.Owner(node: "node-1", location: "berlin", database: "reachd", role: "other"),
        ]
        let other = try makeCache(Faults())
        for owner in owners { #expect(other.load(owner) == nil) }
        #expect(other.status.fault?.code == .otherOwner)
        #expect(messages.events.map { $0.facts["code"] } == Array(repeating: "other_owner", count: 4))
        other.close(within: .seconds(10))
    }

    @Test("a damaged, a huge and an unreadable file are not used, each with its reason, until the next write")
    func refused() throws {
        let cache = try makeCache(Faults())
        let bytes = try Self.sample.encoded()
        try folder.replace(String(decoding: bytes.dropLast(20), as: UTF8.self), at: "reachd.db.assignments")
        #expect(cache.load(Self.owner) == nil)
        #expect(cache.status.fault?.code == .damaged)
        try Command.run(["truncate", "--size", "300M", path])
        #expect(cache.load(Self.owner) == nil)
        #expect(cache.status.fault?.code == .tooLarge)
        try Command.run(["sh", "-c", "rm '\(path)' && mkdir '\(path)'"])
        #expect(cache.load(Self.owner) == nil)
        #expect(cache.status.fault?.code == .unreadable)
        try Command.run(["rmdir", path])
        cache.save { Self.sample }
        cache.close(within: .seconds(10))
        #expect(cache.status.fault == nil)
        let other = try makeCache(Faults())
        #expect(other.load(Self.owner) == Self.sample)
        other.close(within: .seconds(10))
    }

    @Test("a full disk is logged once and shown, the file stays as it was, and writing is tried again")
    func fullDisk() throws {
        let faults = Faults()
        let cache = try makeCache(faults)
        cache.save { Self.sample }
        write(1, cache)
        faults.code.store(28, ordering: .relaxed)
        cache.save { CachedAssignmentsTests.sample(9) }
        write(2, cache)
        write(3, cache)
        #expect(
            messages.events.first?.facts["code"] == "unwritable" && cache.status.fault?.code == .unwritable
                && messages.count == 1
        )
        #expect(try StateFile(path).read() == Self.sample.encoded())
        faults.code.store(0, ordering: .relaxed)
        write(4, cache)
        #expect(cache.status.fault == nil && messages.count == 2)
        #expect(try StateFile(path).read() == CachedAssignmentsTests.sample(9).encoded())
        cache.close(within: .seconds(10))
    }

    /// Moves the time until there were so many writes.
    private func write(_ count: Int, _ cache: AssignmentCache) {
        while writes.count < count {
            clock.advance(by: 1_000_000_000)
            for _ in 0..<4 { cache.loop.executeAndWait {} }
        }
    }

    @Test("the pace: gathered for a second, ten seconds between writes, and a hundred times as long as a write took")
    func pace() {
        let second: UInt64 = 1_000_000_000
        var pace = WritePace()
        #expect(pace.due(at: 5 * second) == 6 * second)
        pace.wrote(from: 6 * second, to: 6 * second + 1)
        #expect(pace.due(at: 7 * second) == 16 * second + 1)
        #expect(pace.due(at: 30 * second) == 31 * second)
        pace.wrote(from: 30 * second, to: 31 * second)
        #expect(pace.due(at: 31 * second) == 131 * second)
        pace.wrote(from: 0, to: 90_000 * second)
        #expect(pace.due(at: 90_000 * second) == 93_600 * second)
        pace.failed(at: 100_000 * second)
        #expect(pace.due(at: 100_000 * second) == 100_060 * second)
    }
}
