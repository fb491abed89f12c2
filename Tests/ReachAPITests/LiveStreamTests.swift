// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import HTTPServer
import MonitoringTestSupport
import NetworkPaths
import Testing

@testable import Monitoring
@testable import ReachAPI

@Suite("Results and activity in the stream")
struct LiveStreamTests {
    let fixture: Fixture

    init() throws {
        fixture = Fixture(hasProbes: true)
        fixture.registry.apply(targets: [try .probed("web", group: "edge"), try .probed("api")])
        for id in ["web", "api"] {
            fixture.emit(id, .up())
            fixture.record(id, .success)
        }
    }

    private func opened(_ query: String, headers: [HTTPHeader] = []) throws -> any StreamSource {
        let stream = try fixture.stream(query, headers: headers)
        _ = try stream.drain()
        return stream
    }

    private func tellActivity(_ state: ActivityState = .active, count: Int = 2) {
        fixture.registry.emit(.activity(ActivityStatus(state: state, isVisible: state == .active, count: count)))
    }

    @Test("A result, byte for byte, and without an id")
    func bytes() throws {
        let stream = try opened("?include=result")
        fixture.clock.advance(milliseconds: 1000)
        fixture.record("web", .success, lag: .microseconds(1500))
        guard case .bytes(let bytes) = stream.next() else {
            Issue.record("There is no result")
            return
        }
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "event: result\n"
                + #"data: {"target":"web","state":"up","result":{"at":"2026-11-18T11:06:41.123Z","success":true,"#
                + #""outcome":"success","detail":"connected","duration_seconds":0.012345,"lag_seconds":0.0015,"#
                + #""phases":{"connect":0.012},"address":"198.51.100.1"},"at":"2026-11-18T11:06:41.123Z"}"# + "\n\n"
        )
        guard case .idle = stream.next() else {
            Issue.record("There is more")
            return
        }
    }

    @Test("A result reports a pending state and its start, and its end")
    func doubts() throws {
        let checker = SchemaChecker(document: try OpenAPIDocument.load())
        let schema = try #require(checker.document[["components", "schemas", "ResultEvent"]])
        var web = try TargetSettings.probed("web", group: "edge")
        web.probe = ProbePlan(try #require(web.probe?.method), verdict: try VerdictSettings(fall: 2, rise: 1))
        fixture.registry.apply(targets: [web])
        fixture.record("web", .success)
        let stream = try opened("?include=result")
        func results() throws -> [JSONValue] { try stream.drain().filter { $0.type == "result" }.compactMap(\.data) }
        fixture.record("web", .failure())
        fixture.record("web", .success)
        let first = try results()
        #expect(first.map { $0[["pending", "toward"]]?.string } == ["down", nil])
        #expect(first.map { $0["is_flapping"] } == [nil, nil])
        for _ in 0..<6 {
            fixture.record("web", .failure())
            fixture.record("web", .success)
        }
        let last = try #require(try results().last)
        #expect(last["is_flapping"] == .boolean(true))
        for result in first + [last] { #expect(checker.faults(result, against: schema).isEmpty) }
    }

    @Test(
        "Results are sent to streams that include them",
        arguments: [
            ("", 0), ("?include=", 0), ("?include=result", 2), ("?event=result", 2), ("?event=state", 0),
            ("?event=state&include=result", 2), ("?include=result&target=web", 1), ("?include=result&group=edge", 1),
            ("?include=result&target=nobody", 0), ("?include=result&tag=a:b", 0), ("?include=result,result", 2),
            ("?include=result&key=state", 2),
        ] as [(String, Int)]
    )
    func asking(query: String, count: Int) throws {
        let stream = try opened(query)
        fixture.record("web", .success)
        fixture.record("api", .success)
        let events = try stream.drain()
        #expect(events.map(\.type) == Array(repeating: "result", count: count))
        #expect(events.allSatisfy { $0.id == nil })
    }

    @Test("An unknown extra is refused, with a hint")
    func unknownExtra() throws {
        for query in ["include=results", "include=result,x", "include=result&include=result"] {
            #expect(fixture.respond("/events?" + query).status == 400)
        }
        #expect(fixture.respond("/events?include=results").text.contains("Did you mean `result`?"))
        #expect(fixture.respond("/targets?include=result").status == 400)
    }

    @Test("Without a reader no results are kept")
    func nobodyReads() throws {
        let place = fixture.registry.livePosition
        fixture.record("web", .success)
        #expect(fixture.registry.livePosition == place)
        let streams = try (0..<2).map { _ in try opened("?include=result") }
        fixture.record("web", .success)
        #expect(fixture.registry.livePosition == place + 1)
        for stream in streams {
            stream.didEnd()
            stream.didEnd()
        }
        fixture.record("web", .success)
        #expect(fixture.registry.livePosition == place + 1)
        #expect(fixture.respond("/events?include=result", method: "HEAD").status == 200)
        fixture.record("web", .success)
        #expect(fixture.registry.livePosition == place + 1)
    }

    @Test("Logged events precede transient results")
    func order() throws {
        let stream = try opened("?include=result")
        fixture.record("web", .failure())
        let events = try stream.drain()
        #expect(events.map(\.type) == ["state", "result"])
        #expect(events[0].id != nil)
        #expect(events[1].data?["state"] == .string("down"))
        #expect(events[1].data?[["result", "cause"]] == .string("target"))
    }

    @Test("A resumed stream gets the events that it missed, but no old results")
    func resumption() throws {
        let stream = try opened("?include=result")
        let id = fixture.id(fixture.registry.sequence)
        fixture.record("web", .failure())
        stream.didEnd()
        let second = try fixture.stream("?include=result", headers: [HTTPHeader("Last-Event-ID", id)])
        #expect(try second.drain().map(\.type) == ["hello", "state"])
        fixture.record("web", .failure())
        #expect(try second.drain().map(\.type) == ["result"])
    }

    @Test("Streams with equal queries each get everything, whenever they start and read")
    func sharing() throws {
        let streams = try (0..<3).map { _ in try opened("?include=result&event=result") }
        var counts = [0, 0, 0]
        for round in 0..<30 {
            fixture.record("web", .success)
            if round % 3 == 0 { fixture.record("api", .success) }
            for index in 0..<3 where round % (index + 1) == 0 {
                let events = try streams[index].drain()
                #expect(events.last?.data?[["result", "at"]] != nil)
                counts[index] += events.count
            }
        }
        let late = try opened("?include=result&event=result")
        for (index, stream) in streams.enumerated() { counts[index] += try stream.drain().count }
        #expect(counts == [40, 40, 40])
        #expect(try late.drain().isEmpty)
        fixture.record("web", .success)
        for stream in streams + [late] { #expect(try stream.drain().count == 1) }
    }

    @Test("A slow client is notified how many results it missed")
    func lagged() throws {
        let stream = try opened("?include=result")
        let quick = try opened("?include=result&target=api")
        for _ in 0..<(TransientEventRing.capacity + 100) { fixture.record("web", .success) }
        let events = try stream.drain()
        #expect(events.count == TransientEventRing.capacity + 1)
        #expect(events[0].type == "lagged")
        #expect(events[0].id == nil)
        #expect(events[0].data == .object(["missed": .number(100), "of": .string("result")]))
        #expect(events.dropFirst().allSatisfy { $0.type == "result" })
        // Nobody can say whether what was lost would have passed the filter.
        #expect(try quick.drain().map(\.type) == ["lagged"])
        fixture.record("web", .success)
        #expect(try stream.drain().map(\.type) == ["result"])
    }

    @Test("To a client that is far behind, results are sent in chunks of bounded size")
    func pieces() throws {
        let stream = try opened("?include=result")
        for _ in 0..<2000 { fixture.record("web", .rich) }
        var count = 0
        while case .bytes(let piece) = stream.next() {
            #expect(piece.count < 70_000)
            count += try ServerSentEvent.parse(piece).filter { $0.type == "result" }.count
        }
        #expect(count == 2000)
    }

    @Test("With format=message the type is in the data")
    func messages() throws {
        let stream = try opened("?include=result&format=message")
        fixture.record("web", .success)
        tellActivity()
        let events = try stream.drain()
        #expect(events.map(\.type) == ["message", "message"])
        #expect(events.map { $0.data?["type"]?.string } == ["result", "activity"])
    }

    @Test(
        "Activity is sent to streams without a filter, or that include it",
        arguments: [
            ("", true), ("?include=result", true), ("?target=web", false), ("?group=edge", false),
            ("?event=activity", true), ("?event=activity&target=web", true), ("?event=state", false),
        ] as [(String, Bool)]
    )
    func activity(query: String, isWanted: Bool) throws {
        let stream = try opened(query)
        tellActivity()
        let events = try stream.drain()
        guard isWanted else {
            #expect(events.isEmpty)
            return
        }
        #expect(events.map(\.type) == ["activity"])
        #expect(events[0].id == nil)
        #expect(
            events[0].data
                == .object([
                    "state": .string("active"), "visible": .boolean(true), "count": .number(2),
                    "at": .string("2026-11-18T11:06:40.123Z"),
                ])
        )
    }

    @Test("Activity that was overwritten before a read does not count as missed: /status has it")
    func lostActivity() throws {
        let stream = try opened("")
        for count in 0..<(TransientEventRing.capacity + 10) { tellActivity(count: count) }
        let events = try stream.drain()
        #expect(events.count == TransientEventRing.capacity)
        #expect(events.allSatisfy { $0.type == "activity" })
        #expect(events.last?.data?["count"] == .number(Double(TransientEventRing.capacity + 9)))
    }
}
