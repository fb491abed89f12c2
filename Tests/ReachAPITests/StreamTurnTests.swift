// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import MonitoringTestSupport
import NetworkPaths
import Testing

@testable import Monitoring
@testable import ReachAPI

@Suite("Turns of a stream, and a renumbered log") struct StreamTurnTests {
    private let fixture = Fixture()

    private func text(_ stream: any StreamSource) -> String {
        var bytes: [UInt8] = []
        while case .bytes(let piece) = stream.next() { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("A long log without matching events is read in many turns that each emit nothing")
    func turns() throws {
        fixture.registry.apply(targets: [.address("web")])
        let id = "\(fixture.registry.position)"
        for _ in 0..<1_000 { fixture.registry.announce(.rejected(faults: [])) }
        let stream = try fixture.stream("?target=web&since=\(id)")
        _ = stream.next()
        var turns = 0
        while case .bytes(let piece) = stream.next() {
            #expect(piece.isEmpty)
            turns += 1
        }
        #expect(turns >= 3)
    }

    @Test("After renumbering, a stream emits reset and a snapshot; no earlier number is used again")
    func numbering() throws {
        fixture.registry.apply(targets: [.address("web")])
        fixture.emit("web", .up())
        let stream = try fixture.stream("")
        _ = text(stream)
        let before = fixture.registry.position
        fixture.registry.moveEvents(behind: 100_000)
        #expect(!String(decoding: stream.heartbeat, as: UTF8.self).contains("id:"))
        let told = text(stream)
        #expect(told.contains("event: reset\n"))
        #expect(told.contains(#""reason":"foreign_epoch","requested":"\#(before)""#))
        #expect(fixture.registry.sequence == before.sequence + 100_000)
        #expect(told.contains("event: snapshot\nid: \(fixture.registry.position)\n"))
        #expect(String(decoding: stream.heartbeat, as: UTF8.self).contains("id: \(fixture.registry.position)"))
        // What was told before is told with its new number, in its data too.
        let again = try fixture.stream("?since=\(fixture.registry.epoch)-100000&event=target")
        let added = try #require(try again.drain().first { $0.type == "target" })
        let number = try #require(added.id.flatMap(EventID.init(parsing:))?.sequence)
        #expect(number > 100_000 && added.data?[["target", "sequence"]]?.number == Double(number))
        fixture.registry.announce(.rejected(faults: []))
        #expect(text(stream).contains("-\(before.sequence + 100_001)\n"))
    }
}
