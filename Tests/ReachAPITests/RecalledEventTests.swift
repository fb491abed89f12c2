// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import MonitoringTestSupport
import NetworkPaths
import Probing
import Synchronization
import TestSupport
import Testing

import struct HTTPServer.HTTPHeader

@testable import Monitoring
@testable import ReachAPI

/// What a client is sent of events that were written to a file must be, byte by byte, what it was sent of them before.
@Suite("Stored events") struct RecalledEventTests {
    private let live = Fixture()
    private let recalled: Fixture
    private let disk = SlowDisk()
    private let folder: TemporaryFolder

    private let archive: FileArchive

    final class FileArchive: EventArchive {
        let store: any EventStore
        let reads = Atomic<Int>(0)
        var oldest: UInt64 { store.oldest }

        init(store: any EventStore) { self.store = store }

        func events(after sequence: UInt64, limit: Int) -> [RecordedEvent] {
            reads.add(1, ordering: .relaxed)
            return (try? store.events(after: sequence, limit: limit)) ?? []
        }
    }

    /// Everything that an event can say happens, is written, and another service goes on from the file.
    init() throws {
        folder = try TemporaryFolder()
        try Self.story(live)
        let events = live.registry.recordedEvents(after: 0, limit: 10_000).events
        let file = SQLiteEventFile(path: folder.path(of: "log.db"))
        let store = try file.open(now: Timestamp(milliseconds: 0)).store
        try store.append(events)
        let disk = disk
        recalled = Fixture(
            wiring: RequestHandler.ServiceDependencies(
                wakeStreams: { disk.wakes.add(1, ordering: .relaxed) },
                read: { disk.read($0) }
            )
        )
        archive = FileArchive(store: store)
        // The second fixture has said that it began to watch; a service does so after its log is open.
        _ = recalled.registry.continueLog(
            epoch: "abcd",
            head: live.registry.sequence,
            archive: archive
        )
    }

    private static func story(_ fixture: Fixture) throws {
        let name = TargetSettings(
            id: "name",
            request: PathRequest(.name("example.org")),
            text: "example.org",
            group: "edge",
            tags: ["env": "prod", "x": "a=b"],
            origin: .config
        )
        fixture.registry.apply(targets: [
            .address("web", "198.51.100.8", tags: ["env": "prod"]), .address("old", "198.51.100.2", group: "edge"),
            name,
            try .probed("shop"),
        ])
        var resolved = NetworkPath.up()
        resolved.resolution = Resolution(state: .complete, addresses: [IPAddress("192.0.2.9")].compactMap { $0 })
        var failed = resolved
        failed.resolution = Resolution(state: .failed, addresses: [], error: "SERVFAIL \"quoted\" \u{1}")
        var pending = NetworkPath.up()
        pending.resolution = Resolution(state: .pending)
        for path in [pending, resolved, failed, .down(.nameUnresolved), resolved, .cellular] {
            fixture.emit("name", path, ChangeTrigger(.resolver))
        }
        let paths: [NetworkPath] = [
            .up(), .up(gateway: "192.0.2.2", generation: 2), .cellular, .down(), .down(.linkDown), .up(generation: 9),
            .up(),
        ]
        for path in paths {
            fixture.tellNetwork(path)
            fixture.emit("web", path)
            fixture.emit("shop", path, ChangeTrigger(.link, interface: "eth0"))
            fixture.clock.advance(milliseconds: 1234)
        }
        fixture.registry.environmentDidChange(NetworkEnvironment(supportsDNS: true))
        fixture.emit("web", .up(generation: 10))
        for result in [ProbeResult.rich(showing: "aa"), ProbeResult.failure(), ProbeResult.rich(showing: "bb")] {
            for _ in 0..<4 { fixture.record("shop", result) }
        }
        fixture.registry.setPaused(true, target: "shop")
        fixture.registry.apply(targets: [.address("web", "198.51.100.8", tags: ["env": "test"]), name])
        fixture.emit("web", .down())
        fixture.registry.announce(.rejected(faults: ["reachd.yaml:1:2: \"no\""]))
        fixture.registry.announce(.reloaded(targets: TargetChanges(), settings: ["log.level"]))
    }

    private func bytes(_ fixture: Fixture, _ query: String, after sequence: UInt64) throws -> String {
        let stream = try fixture.stream(query, headers: [HTTPHeader("Last-Event-ID", "abcd-\(sequence)")])
        // The first piece says what time it is.
        _ = stream.next()
        var bytes: [UInt8] = []
        while case .bytes(let piece) = stream.next() { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let views: [String] = {
        let keys = [""] + ObservedKey.allCases.map { "key=\($0.rawValue)" }
        let all = "key=" + ObservedKey.allCases.map(\.rawValue).joined(separator: "&key=")
        let observed = (keys + [all]).flatMap { key in
            key.isEmpty ? [key] : ["", "old", "new,old", "new,old,prior", "prior"].map { "\(key)&options=\($0)" }
        }
        let filters = [
            "", "target=web", "tag=env:prod", "group=edge", "event=state&event=path", "target=name&target=shop",
            "tag=x:a%3Db", "event=config", "target=nobody",
        ]
        return observed.flatMap { view in
            ["", "distinct=true"].flatMap { distinct in
                ["", "format=message"].flatMap { format in
                    filters.map { filter in
                        "?" + [view, distinct, format, filter].filter { !$0.isEmpty }.joined(separator: "&")
                    }
                }
            }
        }
    }()

    @Test("are the same bytes as the live events, in every subscription")
    func sameBytes() throws {
        let head = live.registry.sequence
        #expect(head > 60)
        var total = 0
        for view in Self.views {
            let (before, after) = (try bytes(live, view, after: 0), try bytes(recalled, view, after: 0))
            if before != after {
                let lines = zip(before.split(separator: "\n"), after.split(separator: "\n")).first { $0 != $1 }
                Issue.record("\(view): \(lines.map { "\($0.0)\n\($0.1)" } ?? "one has more")")
            }
            total += before.utf8.count
        }
        #expect(total > 1_000_000)
    }

    private static let fixtures =
        #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Fixtures/"

    /// FNV-1a, in hexadecimal digits.
    private static func hash(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }

    /// Without members that 0.1.0 did not write, and with its words. A target without a result had a cause then.
    private static func asBefore(_ text: String) -> String {
        text.replacing(/"previous_since":"[^"]*",/, with: "")
            .replacing("The target is not evaluated yet.", with: "There was no verdict yet.")
            .replacing("The name is not resolved yet.", with: "Its name has no answer yet.")
            .replacing("There is a route, but no", with: "There is a route and no")
            .replacing("A client paused it.", with: "Somebody paused it.")
            .replacing(
                /"Waiting for the (?:first|next) result\."\}(?:,"cause":"self")?/,
                with: #""Packets can leave for it, and its probe has no result yet."},"cause":"self""#
            )
    }

    /// The lines of a stream, with data as values, and targets without what only a single one has today.
    private static func lines(_ text: String) throws -> [JSONValue] {
        let hidden = ["status", "status_code", "reachable", "reachable_via_wwan", "reachable_via_wifi", "flags"]
        return try text.split(separator: "\n").map { line in
            guard line.hasPrefix("data: ") else { return .string(String(line)) }
            let data = try JSONValue(parsing: String(line.dropFirst(6)))
            guard case .object(var event) = data, case .object(let target)? = event["target"] else { return data }
            event["target"] = .object(target.filter { !hidden.contains($0.key) })
            return .object(event)
        }
    }

    @Test("A file of 0.1.0 gives the bytes that 0.1.0 sent live, in every subscription")
    func earlierVersion() throws {
        let path = folder.path(of: "log-0.1.0.db")
        try Command.run(["cp", Self.fixtures + "log-0.1.0.db", path])
        let store = try SQLiteEventFile(path: path).open(now: Timestamp(milliseconds: 0)).store
        defer { store.close() }
        let disk = disk
        let earlier = Fixture(wiring: RequestHandler.ServiceDependencies(wakeStreams: {}, read: { disk.read($0) }))
        _ = earlier.registry.continueLog(epoch: "abcd", head: store.head, archive: FileArchive(store: store))
        let text = try Command.run(["cat", Self.fixtures + "replay-0.1.0.txt"])
        #expect(try bytes(earlier, "", after: 0) == text)
        // The story is the one that was written then, but for the order of members and what events have had since.
        #expect(try Self.lines(Self.asBefore(try bytes(live, "", after: 0))) == Self.lines(text))
        let hashes = try Command.run(["cat", Self.fixtures + "views-0.1.0.txt"]).split(separator: "\n").map(String.init)
        #expect(hashes.count == Self.views.count)
        for (view, hash) in zip(Self.views, hashes) {
            #expect(Self.hash(try bytes(earlier, view, after: 0)) == hash, "\(view)")
        }
    }

    @Test("a stream can resume after each of them")
    func everyPosition() throws {
        for position in 0...live.registry.sequence {
            let view = "?key=status&key=path&options=new,old"
            #expect(try bytes(live, view, after: position) == bytes(recalled, view, after: position))
        }
    }

    @Test("the fixture has every event type of 0.1.0")
    func everyType() {
        let types = Set(live.registry.recordedEvents(after: 0, limit: 10_000).events.map(\.type))
        #expect(types == Set(EventType.allCases).subtracting([.routeChange, .incident, .vote, .node, .location]))
    }

    @Test("An id older than memory resumes; one older than the file, or of another epoch, resets")
    func ids() throws {
        let first = try recalled.stream("", headers: [HTTPHeader("Last-Event-ID", "abcd-1")]).drain()
        #expect(first[0].type == "hello" && first[0].id == "abcd-1" && first[1].id == "abcd-2")
        let foreign = try recalled.stream("", headers: [HTTPHeader("Last-Event-ID", "abce-1")]).drain()
        #expect(foreign.map(\.type).prefix(3) == ["hello", "reset", "snapshot"])
        let future = try recalled.stream("", headers: [HTTPHeader("Last-Event-ID", "abcd-99999")]).drain()
        #expect(future[1].type == "reset")
    }

    @Test("Events of the file and of memory follow each other without a gap")
    func seam() throws {
        let head = recalled.registry.sequence
        recalled.registry.announce(.rejected(faults: []))
        let term = try #require(recalled.registry.promisedTerm)
        recalled.registry.makeDurable(through: head + 1, under: term)
        let ids = try recalled.stream("", headers: [HTTPHeader("Last-Event-ID", "abcd-0")]).drain().dropFirst().map(
            \.id
        )
        #expect(ids == (1...head + 1).map { "abcd-\($0)" })
    }

    /// Reads that wait for a disk that does not answer yet.
    private final class SlowDisk: Sendable {
        let jobs = JobList()
        let wakes = Atomic<Int>(0)
        /// Whether reads wait for ``answer()``; they are made at once otherwise.
        let isSlow = Atomic<Bool>(false)

        func read(_ job: @escaping @Sendable () -> Void) {
            if isSlow.load(ordering: .relaxed) { jobs.append(job) } else { job() }
        }

        /// Answers what was asked so far; says how much that was.
        func answer() -> Int { jobs.run() }
    }

    private func next(_ stream: any StreamSource) throws -> [ServerSentEvent]? {
        switch stream.next() {
        case .idle: nil
        case .bytes(let bytes), .end(let bytes): try ServerSentEvent.parse(bytes)
        }
    }

    @Test("A blocked disk delays only streams that read from it")
    func slowDisk() throws {
        disk.isSlow.store(true, ordering: .relaxed)
        let head = recalled.registry.sequence
        let old = [HTTPHeader("Last-Event-ID", "abcd-0")]
        let (first, second) = (try recalled.stream("", headers: old), try recalled.stream("", headers: old))
        let ending = try recalled.stream("?follow=false", headers: old)
        let news = try recalled.stream()
        for stream in [first, second, ending, news] { #expect(try next(stream)?.first?.type == "hello") }
        for stream in [first, second, ending, news] {
            // Twice: who waits asks for nothing again. Not the end either, for who wants only what there is.
            for _ in 0..<2 {
                guard case .idle = stream.next() else {
                    Issue.record("it was told something, or that it is over")
                    return
                }
            }
        }
        recalled.registry.announce(.rejected(faults: []))
        let term = try #require(recalled.registry.promisedTerm)
        recalled.registry.makeDurable(through: head + 1, under: term)
        #expect(try next(news)?.map(\.id) == ["abcd-\(head + 1)"])
        // Who looks the same way waits for the same read.
        #expect(disk.jobs.count == 1)
        var ids: [ObjectIdentifier: [String?]] = [:]
        var rounds = 0
        while disk.answer() > 0 {
            rounds += 1
            #expect(disk.wakes.load(ordering: .relaxed) >= rounds)
            for stream in [first, second, ending] {
                while let events = try next(stream), !events.isEmpty {
                    ids[ObjectIdentifier(stream), default: []] += events.map(\.id)
                }
            }
        }
        let all = (1...head + 1).map { "abcd-\($0)" }
        #expect(ids[ObjectIdentifier(first)] == all && ids[ObjectIdentifier(second)] == all)
        #expect(ids[ObjectIdentifier(ending)] == Array(all.dropLast()))
    }

    @Test("Nothing is read for disconnected clients")
    func nobody() throws {
        disk.isSlow.store(true, ordering: .relaxed)
        let stream = try recalled.stream("", headers: [HTTPHeader("Last-Event-ID", "abcd-0")])
        _ = stream.next()
        _ = stream.next()
        let read = archive.reads.load(ordering: .relaxed)
        stream.didEnd()
        #expect(disk.answer() == 1)
        #expect(archive.reads.load(ordering: .relaxed) == read)
    }

    @Test("Damaged data causes no trap")
    func damage() {
        for text in [
            "", "{", "{}", "null", #"{"a"#, #"{"a":"#, #"{"a":1"#, #"{"a\"#, #"{"previous":{"flags":[}"#, "[1]",
        ] {
            for type in EventType.allCases {
                let event = RecordedEvent(
                    sequence: 1,
                    at: Timestamp(milliseconds: 0),
                    type: type,
                    target: "web",
                    data: Array(text.utf8),
                    supplement: Array(text.utf8)
                )
                for key in ObservedKey.allCases { _ = ObservedValues(event).change(of: key) }
            }
        }
    }
}

extension Registry {
    /// The promise that is in force.
    fileprivate var promisedTerm: DurabilityLease? {
        state.withLock { $0.durable.map { DurabilityLease(number: $0.term) } }
    }
}
