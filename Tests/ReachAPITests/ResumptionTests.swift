// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Testing

@testable import ReachAPI

@Suite("Resuming a stream")
struct ResumptionTests {
    private func fill(_ fixture: Fixture, rounds: Int = 10) {
        fixture.registry.apply(targets: [.address("web")])
        for round in 0..<rounds { fixture.emit("web", round % 2 == 0 ? .up() : .down()) }
    }

    @Test("Every id, in the query or the header, resumes with exactly the following events", arguments: [false, true])
    func everyID(byHeader: Bool) throws {
        let fixture = Fixture()
        let live = try fixture.stream("?key=status&key=reachable&options=new,old,prior")
        fill(fixture)
        let all = try live.drain()
        let head = fixture.registry.sequence
        for sequence in 0...head {
            let id = fixture.id(sequence)
            let base = "?key=status&key=reachable&options=new,old,prior"
            let stream =
                byHeader
                ? try fixture.stream(base, headers: [HTTPHeader("Last-Event-ID", id)])
                : try fixture.stream(base + "&since=" + id)
            let replayed = try stream.drain()
            #expect(replayed.first?.type == "hello")
            #expect(replayed.first?.id == id)
            // Blocks without an id belong to the next block that has one.
            let start = all.lastIndex { $0.id == id }.map { $0 + 1 } ?? 1
            #expect(replayed.dropFirst().map(\.data) == all[start...].map(\.data))
            #expect(replayed.dropFirst().map(\.id) == all[start...].map(\.id))
        }
    }

    @Test("follow=false: the events after an id, or the snapshot, and then the end")
    func withoutFollowing() throws {
        let fixture = Fixture()
        fill(fixture)
        func ends(_ stream: any StreamSource) -> Bool {
            if case .end = stream.next() { true } else { false }
        }
        for query in [
            "?since=\(fixture.id(0))", "?snapshot=1", "?key=status&options=initial,new", "?x=", "?since=beef-1",
        ] {
            let query = query == "?x=" ? "?target=nobody&since=\(fixture.id(3))" : query
            let whole = try fixture.stream(query)
            let finite = try fixture.stream(query + "&follow=false")
            #expect(try finite.drain().map(\.data) == whole.drain().map(\.data), "\(query)")
            #expect(ends(finite) && !ends(whole), "\(query)")
        }
        let now = try fixture.stream("?follow=0")
        #expect(try now.drain().map(\.type) == ["hello"])
        fixture.emit("web", .cellular)
        #expect(ends(now))
        #expect(!ends(try fixture.stream("?follow=true")))
        #expect(fixture.respond("/events?follow=maybe").status == 400)
    }

    @Test("The header overrides the query")
    func header() throws {
        let fixture = Fixture()
        fill(fixture)
        let stream = try fixture.stream(
            "?since=\(fixture.id(0))",
            headers: [HTTPHeader("Last-Event-ID", fixture.id(fixture.registry.sequence))]
        )
        #expect(try stream.drain().map(\.type) == ["hello"])
    }

    @Test(
        "After an id that cannot be resumed: reset, snapshot, then live events",
        arguments: [
            ("beef-1", "foreign_epoch", false), ("abcd-1", "expired", false), ("abcd-9999", "future", false),
            ("beef-1", "foreign_epoch", true), ("abcd-1", "expired", true), ("abcd-9999", "future", true),
            ("nonsense \"é", "malformed", true),
        ] as [(String, String, Bool)]
    )
    func reset(id: String, reason: String, byHeader: Bool) throws {
        let fixture = Fixture(capacity: 8)
        fill(fixture)
        let stream =
            byHeader
            ? try fixture.stream(headers: [HTTPHeader("Last-Event-ID", id)]) : try fixture.stream("?since=" + id)
        let head = fixture.registry.sequence
        let events = try stream.drain()
        #expect(events.map(\.type) == ["hello", "reset", "snapshot"])
        #expect(events.map(\.id) == [nil, nil, fixture.id(head)])
        #expect(events[1].data?["reason"] == .string(reason))
        #expect(events[1].data?["requested"] == .string(id))
        #expect(events[1].data?["resumes_after"] == .string(fixture.id(head)))
        #expect(events[2].data?["sequence"] == .number(Double(head)))
        fixture.emit("web", .cellular)
        #expect(try stream.drain().first?.id == fixture.id(head + 1))
    }

    @Test("The oldest stored id and the one before it can be resumed")
    func oldest() throws {
        let fixture = Fixture(capacity: 8)
        fill(fixture)
        let oldest = fixture.registry.events(after: 0, limit: 1).oldest
        let stream = try fixture.stream("?since=" + fixture.id(oldest - 1))
        let events = try stream.drain()
        #expect(events.dropFirst().map(\.id) == (oldest...fixture.registry.sequence).map(fixture.id))
        #expect(try fixture.stream("?since=" + fixture.id(oldest - 2)).drain()[1].type == "reset")
    }

    @Test("A client that fell out of the log gets lagged with its loss, a snapshot and the stored events")
    func lagged() throws {
        let fixture = Fixture(capacity: 8)
        fixture.registry.apply(targets: [.address("web")])
        let stream = try fixture.stream()
        _ = try stream.drain()
        fill(fixture, rounds: 30)
        let head = fixture.registry.sequence
        let oldest = fixture.registry.events(after: 0, limit: 1).oldest
        let events = try stream.drain()
        #expect(events.prefix(2).map(\.type) == ["lagged", "snapshot"])
        #expect(events[0].data?["missed"] == .number(Double(oldest - 2)))
        #expect(events[0].data?["last"] == .string(fixture.id(1)))
        #expect(events[0].data?["resumes_after"] == .string(fixture.id(oldest - 1)))
        #expect(events[0].data?["snapshot_follows"] == .boolean(true))
        #expect(events[0].id == nil)
        #expect(events[1].data?["sequence"] == .number(Double(head)))
        #expect(events[1].id == fixture.id(oldest - 1))
        #expect(events.dropFirst(2).map(\.id) == (oldest...head).map(fixture.id))
    }

    @Test("A gap that the last snapshot covers is reported without another snapshot")
    func coveredHole() throws {
        let fixture = Fixture(capacity: 4)
        fixture.registry.apply(targets: [.address("web")])
        let stream = try fixture.stream()
        _ = stream.next()
        fill(fixture, rounds: 10)
        guard case .bytes = stream.next(), case .bytes(let page) = stream.next() else {
            Issue.record("There is no snapshot")
            return
        }
        // Lagged, then the snapshot; now the log runs on, but not past what the snapshot told.
        #expect(String(decoding: page, as: UTF8.self).contains("event: snapshot"))
        fixture.registry.announce(.rejected(faults: []))
        let events = try stream.drain()
        #expect(events.first?.type == "lagged")
        #expect(events.first?.data?["snapshot_follows"] == .boolean(false))
        #expect(events.first?.id == fixture.id(fixture.registry.events(after: 0, limit: 1).oldest - 1))
        #expect(!events.contains { $0.type == "snapshot" })
        #expect(events.last?.id == fixture.id(fixture.registry.sequence))
    }

    @Test("snapshot=1: the body of /targets with the same filters, with the network, then live events")
    func snapshot() throws {
        let fixture = Fixture()
        fixture.tellNetwork(.up())
        fixture.registry.apply(targets: [
            .address("a", "198.51.100.1", group: "x"), .address("b", "198.51.100.2", group: "y"),
        ])
        let stream = try fixture.stream("?snapshot=1&group=x")
        let events = try stream.drain()
        #expect(events.map(\.type) == ["hello", "snapshot"])
        #expect(events[0].id == nil)
        #expect(events[1].id == fixture.id(fixture.registry.sequence))
        let list = try fixture.json("/targets?group=x")
        for name in ["targets", "total", "sequence", "generated_at"] { #expect(events[1].data?[name] == list[name]) }
        #expect(try events[1].data?["network"] == fixture.json("/status")["network"])
    }

    @Test("A large snapshot is sent in pages; only the last has the id; no event between is missed")
    func pages() throws {
        let fixture = Fixture()
        fixture.registry.apply(targets: (0..<350).map { .address("t\($0)") })
        let stream = try fixture.stream("?snapshot=1")
        _ = stream.next()
        let position = fixture.registry.sequence
        var pages: [ServerSentEvent] = []
        while pages.last?.data?["next"] != nil || pages.isEmpty {
            guard case .bytes(let bytes) = stream.next() else { break }
            pages += try ServerSentEvent.parse(bytes)
            if pages.count == 2 { fixture.emit("t5", .up()) }
        }
        #expect(pages.map { $0.data?["targets"]?.array?.count } == [100, 100, 100, 50])
        #expect(pages.map(\.id) == [nil, nil, nil, fixture.id(position)])
        #expect(pages.allSatisfy { $0.data?["total"] == .number(350) })
        #expect(try stream.drain().map(\.type) == ["reachability", "state"])
    }

    @Test("A resumed stream repeats neither snapshot nor initial values; an explicit since does")
    func resumedSnapshot() throws {
        let fixture = Fixture()
        fill(fixture)
        let query = "?snapshot=1&key=status&options=initial,new"
        let known = HTTPHeader("Last-Event-ID", fixture.id(fixture.registry.sequence))
        #expect(try fixture.stream(query, headers: [known]).drain().map(\.type) == ["hello"])
        let since = try fixture.stream(query + "&event=state&event=change&since=" + fixture.id(1)).drain()
        #expect(since.prefix(4).map(\.type) == ["hello", "snapshot", "change", "change"])
        #expect(since[3].id == fixture.id(1))
        #expect(since[4].id == fixture.id(2))
    }
}
