// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Diagnosis

/// Random histories of a loop between the second and the third router, while targets behind the second respond.
@Suite("Loops")
struct LoopHistoryTests {
    private static let millisecond: UInt64 = 1_000_000
    private static let begin = 20_000 * millisecond
    private static let end = 32_000 * millisecond

    private enum Event {
        case answer
        case silence
        /// The router of this index reports it.
        case report(Int)
        /// A trace that a number of routers answer; without a number it shows the loop.
        case trace(Int?)
    }

    private struct Entry {
        let start: UInt64
        let end: UInt64
        let target: UInt64
        let event: Event
    }

    @Test("What a loop explains is not read as another fault later", arguments: 1...200 as ClosedRange<UInt64>)
    func history(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var scene = DiagnosisScene()
        let silent = Array(301...305 as ClosedRange<UInt64>) + Array(401...405 as ClosedRange<UInt64>)
        let all = silent + [101, 102, 201, 202]
        for id in all { scene.answered(id, at: 10 * Self.millisecond) }
        let reporter = Int.random(in: 1...2, using: &random)
        var entries = all.flatMap { id in
            Self.probes(of: id, isSilent: id > 300, reporter, &random)
        }
        entries += Self.traces(of: silent, &random)
        var explained: Set<UInt64> = []
        for entry in entries.sorted(by: { $0.end < $1.end }) {
            Self.hand(entry, to: &scene)
            for id in silent where scene.diagnosis.failingSince(id) != nil {
                let reading = scene.reading(id, at: entry.end)
                if reading.hasSuffix("loop") {
                    explained.insert(id)
                } else if explained.contains(id) {
                    #expect(!reading.hasPrefix("silence") && !reading.hasPrefix("trace"), "\(id) at \(entry.end)")
                }
            }
        }
        #expect(!explained.isEmpty)
    }

    private static func probes(of id: UInt64, isSilent: Bool, _ reporter: Int, _ random: inout SeededGenerator)
        -> [Entry]
    {
        var found: [Entry] = []
        var start = begin - UInt64.random(in: 1_000...2_000, using: &random) * millisecond
        while start < end {
            let isAnswered = start < begin || !isSilent
            let isReported = Int.random(in: 0..<10, using: &random) < 3
            let delay = isAnswered ? 1 : isReported ? UInt64.random(in: 1...1_500, using: &random) : 2_000
            let event: Event = isAnswered ? .answer : isReported ? .report(reporter) : .silence
            found.append(Entry(start: start, end: start + delay * millisecond, target: id, event: event))
            start += max(delay, 1_000) * millisecond
        }
        return found
    }

    private static func traces(of targets: [UInt64], _ random: inout SeededGenerator) -> [Entry] {
        var found: [Entry] = []
        var start = begin - UInt64.random(in: 0...2_000, using: &random) * millisecond
        while start < end {
            // As routers answer that send few errors.
            let shown: Int? = [nil, nil, nil, 3, 3, 3, 3, 2, 2, 1].randomElement(using: &random) ?? nil
            found.append(
                Entry(
                    start: start,
                    end: start + UInt64.random(in: 500...5_000, using: &random) * millisecond,
                    target: targets.randomElement(using: &random) ?? 301,
                    event: .trace(start < begin ? 3 : shown)
                )
            )
            start += UInt64.random(in: 200...2_000, using: &random) * millisecond
        }
        return found
    }

    private static func hand(_ entry: Entry, to scene: inout DiagnosisScene) {
        let (id, start, end, routers) = (entry.target, entry.start, entry.end, DiagnosisScene.routers)
        switch entry.event {
        case .answer:
            _ = scene.diagnosis.answered(id, DiagnosisScene.host(id), DiagnosisScene.gateway, at: start, until: end)
        case .silence: scene.silent(id, at: start)
        case .report(let index):
            let hop = routers[index]
            scene.silent(id, at: start)
            _ = scene.diagnosis.reported(
                .loop,
                id,
                by: hop.addresses[0],
                hop: hop.hop,
                from: start,
                at: end,
                "loop"
            )
        case .trace(let count) where start < begin:
            _ = scene.diagnosis.learn(id, Array(routers.prefix(count ?? 3)), length: 4, at: start, until: end, 0)
        case .trace where scene.diagnosis.failingSince(id) == nil: break
        case .trace(.some(let count)):
            _ = scene.diagnosis.traced(id, Array(routers.prefix(count)), at: start, until: end)
        case .trace(nil):
            let hops = routers + [RouteHop(4, routers[1].addresses), RouteHop(5, routers[2].addresses)]
            _ = scene.diagnosis.traced(id, hops, at: start, until: end, loop: "loop")
        }
    }
}
