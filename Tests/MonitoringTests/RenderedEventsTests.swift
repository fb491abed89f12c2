// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Testing

@testable import Monitoring

@Suite("Events are rendered once")
struct RenderedEventsTests {
    private let registry = Registry(clock: FakeClock(), epoch: "abcd")

    /// Where the bytes of each event are.
    private static func places(_ slice: EventSlice<RecordedEvent>) -> [UInt] {
        slice.events.map { unsafe $0.data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    }

    private func happen(_ count: Int, faults: [String] = []) {
        for _ in 0..<count { registry.announce(.rejected(faults: faults)) }
    }

    @Test("Every reader of an event gets the same bytes")
    func once() {
        happen(10)
        let recorded = Self.places(registry.recordedEvents(after: 0, limit: 6))
        #expect(recorded.count == 6 && Set(recorded).count == 6)
        #expect(Self.places(registry.events(after: 2, limit: 4)) == Array(recorded[2...]))
        let all = Self.places(registry.events(after: 0, limit: 100))
        #expect(all.count == 10 && Array(all[..<6]) == recorded)
        #expect(Self.places(registry.recordedEvents(after: 0, limit: 100)) == all)
        happen(1)
        #expect(Self.places(registry.events(after: 9, limit: 100)).first == all.last)
    }

    @Test("The cache is bounded; older events are rendered again to the same bytes")
    func bounded() {
        let fault = String(repeating: "x", count: 64 << 10)
        happen(400, faults: [fault])
        let first = registry.events(after: 0, limit: 1)
        var place: UInt64 = 0
        while place < 400 { place = registry.events(after: place, limit: 16).events.last?.sequence ?? .max }
        #expect(registry.rendered.bytes <= RenderedEvents.maximumBytes)
        #expect(registry.rendered.bytes > RenderedEvents.maximumBytes / 2)
        let again = registry.events(after: 0, limit: 1)
        #expect(again.events == first.events)
        #expect(Self.places(again) != Self.places(first))
        // Reading old ones does not push out those that are new.
        let newest = Self.places(registry.events(after: 399, limit: 1))
        #expect(Self.places(registry.events(after: 399, limit: 1)) == newest)
    }

    @Test("Renumbered events are rendered with their new numbers")
    func moved() {
        registry.apply(targets: [.address("web")])
        happen(5)
        #expect(registry.events(after: 0, limit: 10).events.map(\.action) == [.added, nil, nil, nil, nil, nil])
        registry.moveEvents(behind: 2)
        let events = registry.events(after: 2, limit: 10).events
        #expect(events.map(\.sequence) == Array(3...8))
        #expect(events.map(\.action) == [.added, nil, nil, nil, nil, nil])
        #expect(events.first.map { String(decoding: $0.data, as: UTF8.self).contains(#""sequence":3"#) } == true)
    }

    @Test("The cache is not used for the same numbers of another log")
    func continued() {
        happen(3, faults: ["one"])
        _ = registry.events(after: 0, limit: 10)
        _ = registry.continueLog(epoch: "ef", head: 0, archive: NoArchive())
        happen(3, faults: ["two"])
        for event in registry.recordedEvents(after: 0, limit: 10).events {
            #expect(String(decoding: event.data, as: UTF8.self).contains("two"))
        }
    }

    private struct NoArchive: EventArchive {
        var oldest: UInt64 { 1 }
        func events(after sequence: UInt64, limit: Int) -> [RecordedEvent] { [] }
    }

    @Test("The action of a target event and the reason of a state are read from their data")
    func parts() {
        func event(_ type: EventType, _ data: String) -> RecordedEvent {
            RecordedEvent(sequence: 1, at: Timestamp(milliseconds: 0), type: type, data: Array(data.utf8))
        }
        #expect(event(.target, #"{"action":"removed","target":{}}"#).action == .removed)
        #expect(event(.target, #"{"target":{"action":"added"},"action":"updated"}"#).action == .updated)
        #expect(event(.config, #"{"action":"removed"}"#).action == nil)
        #expect(event(.state, #"{"reason":{"code":"timeout","detail":"No \"answer\"."}}"#).detail == #"No "answer"."#)
        let damaged = [
            "", "{", "null", "[]", #"{"reason":null}"#, #"{"reason":"x"}"#, #"{"action":1}"#, #"{"action":"x"}"#,
        ]
        for data in damaged {
            #expect(event(.target, data).action == nil)
            #expect(event(.state, data).detail == nil)
        }
    }
}
