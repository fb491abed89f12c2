// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import TestSupport
import Testing

@testable import Probing

/// The plan in a network that a test describes, by a clock that jumps to the next step.
@Suite(.timeLimit(.minutes(15))) struct TracePlanTests {
    private static let destination = IPAddress(ipv4: 0xCB00_7101)
    private static let own = IPAddress(ipv4: 0xC000_0202)
    private static let millisecond: UInt64 = 1_000_000

    private static func router(_ hop: Int) -> IPAddress { IPAddress(ipv4: 0xC633_6400 + UInt32(hop)) }

    private static func error(_ type: UInt8, _ code: UInt8, from address: IPAddress) -> TraceAnswer? {
        TraceAnswer(
            PacketError.Message(family: .ipv4, type: type, code: code, offender: address),
            systemError: EHOSTUNREACH,
            local: own,
            destination: destination,
            roundTrip: nil,
            labels: []
        )
    }

    private static func reply() -> TraceAnswer { TraceAnswer(.reply, from: destination, roundTrip: nil) }

    /// An answer, its delay in milliseconds, and whether it names its packet.
    private struct Answer {
        let answer: TraceAnswer?
        let delay: UInt64
        var isNamed = true
    }

    private struct Run {
        var plan: TracePlan
        var sent: [(probe: TraceProbe, time: UInt64)] = []
        var duration: UInt64 = 0
        var largestWidth = 0

        var packets: [TraceProbe] { sent.map(\.probe) }
    }

    /// Runs a plan.
    ///
    /// - Parameter network: The answer to a packet that is sent at a time in milliseconds.
    private func run(
        _ pace: TracePace,
        attempts: Int = 3,
        maximumHops: Int = 30,
        limit: Duration = .seconds(2),
        network: (TraceProbe, UInt64) -> Answer?
    ) -> Run {
        let request = TraceRequest(
            destination: Self.destination,
            method: .icmp,
            maximumHops: maximumHops,
            attempts: attempts,
            timeLimit: limit
        )
        let begin: UInt64 = 1_000_000_000
        var now = begin
        var run = Run(plan: TracePlan(request, pace: pace, begin: begin))
        var arrivals: [(time: UInt64, answer: TraceAnswer, probe: TraceProbe?)] = []
        var given: Set<TraceProbe> = []
        for _ in 0..<10_000 {
            arrivals.sort { $0.time < $1.time }
            while let first = arrivals.first, first.time <= now {
                arrivals.removeFirst()
                // With one connection at a time, the answer to one that has ended finds none.
                if pace.width == 1, let probe = first.probe, given.contains(probe) { continue }
                run.plan.add(first.answer, to: first.probe, at: now)
            }
            switch run.plan.next(at: now) {
            case .send(let probe):
                run.sent.append((probe, (now - begin) / Self.millisecond))
                run.largestWidth = max(run.largestWidth, run.plan.record.inFlight.count)
                guard let answer = network(probe, (now - begin) / Self.millisecond), var content = answer.answer else {
                    continue
                }
                if answer.isNamed { content.roundTrip = answer.delay * Self.millisecond }
                arrivals.append((now + answer.delay * Self.millisecond, content, answer.isNamed ? probe : nil))
            case .giveUp(let probe): given.insert(probe)
            case .wait(let time):
                #expect(time > now, "it waits for something")
                now = min(time, arrivals.first?.time ?? time)
            case .finish:
                run.duration = (now - begin) / Self.millisecond
                return run
            }
        }
        Issue.record("the plan does not end")
        return run
    }

    /// Routers with 1 ms for each hop, the destination at a hop.
    private func path(to last: Int, silent: Set<Int> = []) -> (TraceProbe, UInt64) -> Answer? {
        { probe, _ in
            guard !silent.contains(min(probe.hop, last)) else { return nil }
            return probe.hop < last
                ? Answer(answer: Self.error(11, 0, from: Self.router(probe.hop)), delay: UInt64(probe.hop))
                : Answer(answer: Self.reply(), delay: UInt64(last))
        }
    }

    private static let paces = [TracePace.parallel, .sequential]

    @Test("All hops, then the destination, and nothing beyond it once it is known", arguments: paces)
    func reached(_ pace: TracePace) {
        let run = run(pace, network: path(to: 6))
        let hops = run.plan.record.resultHops
        #expect(hops.map(\.addresses) == (1...5).map { [Self.router($0)] } + [[Self.destination]])
        #expect(run.plan.record.end == .reached)
        #expect(hops.allSatisfy { $0.lost == 0 && $0.sent >= (pace.width == 1 ? 1 : 3) })
        #expect(hops[2].minimum == .milliseconds(3) && hops[2].median == .milliseconds(3))
        if pace.width == 1 {
            #expect(run.packets == (1...6).map { TraceProbe(hop: $0, attempt: 1) })
            #expect(run.largestWidth == 1)
        } else {
            #expect(run.sent.count <= 3 * 6 + 2)
            #expect(zip(run.sent, run.sent.dropFirst()).allSatisfy { $1.time - $0.time >= 5 }, "paced")
        }
    }

    @Test("Packets that the destination answers with a larger TTL count for its hop") func destination() throws {
        // The answers take so long that the whole window is beyond the destination.
        let run = run(.parallel) { _, _ in Answer(answer: Self.reply(), delay: 45) }
        let hops = run.plan.record.resultHops
        #expect(hops.count == 1)
        let hop = try #require(hops.first)
        #expect(hop.addresses == [Self.destination] && hop.lost == 0)
        #expect(hop.roundTrips.count == run.sent.count)
        #expect(run.sent.allSatisfy { $0.probe.attempt == 1 }, "no more attempts are necessary")
    }

    @Test("Behind a hop, nobody answers: no more than the gap, three attempts each", arguments: paces)
    func silent(_ pace: TracePace) {
        let run = run(pace, network: path(to: 30, silent: Set(4...30)))
        let record = run.plan.record
        #expect(record.end == .silent)
        #expect(record.resultHops.map(\.addresses) == (1...3).map { [Self.router($0)] })
        #expect(run.packets.map(\.hop).max() == 3 + TracePlan.gap)
        #expect(run.packets.map(\.attempt).max() == 3)
        #expect(run.sent.count { $0.probe.hop > 3 } == TracePlan.gap * 3)
        #expect(run.duration <= (pace.width == 1 ? 1_850 : 1_500))
        #expect(run.sent.last.map { $0.time >= 1_100 } == true, "the last attempt is late")
    }

    @Test("Nobody answers at all", arguments: paces) func nobody(_ pace: TracePace) {
        let run = run(pace) { _, _ in nil }
        #expect(run.plan.record.resultHops.isEmpty && run.plan.record.end == .silent)
        #expect(run.packets.map(\.hop).max() == TracePlan.gap)
    }

    @Test("A silent router between others is a hop without address", arguments: paces) func gap(_ pace: TracePace) {
        let run = run(pace, network: path(to: 6, silent: [3]))
        #expect(run.plan.record.end == .reached)
        #expect(run.plan.record.resultHops.map(\.isSilent) == [false, false, true, false, false, false])
        #expect(run.plan.record.resultHops[2].lost == 3)
        #expect(run.plan.record.isOneFlow)
    }

    @Test("A router that sends one error a second, and none at first, is found", arguments: paces)
    func rateLimited(_ pace: TracePace) {
        let path = path(to: 6)
        let run = run(pace) { probe, time in probe.hop == 2 && time < 1_000 ? nil : path(probe, time) }
        #expect(run.plan.record.resultHops.map(\.addresses.count) == [1, 1, 1, 1, 1, 1])
    }

    @Test("A router's error ends the trace; its own hop is not repeated", arguments: paces)
    func refused(_ pace: TracePace) {
        let path = path(to: 30)
        let run = run(pace) { probe, time in
            guard probe.hop > 3 else { return path(probe, time) }
            return Answer(answer: Self.error(3, 13, from: Self.router(3)), delay: 3)
        }
        let record = run.plan.record
        guard case .error(let error) = record.end else { return #expect(Bool(false), "\(record.end)") }
        #expect(error.message?.code == 13 && error.message?.offender == Self.router(3))
        #expect(record.resultHops.map(\.addresses) == (1...3).map { [Self.router($0)] })
        #expect(run.packets.map(\.hop).max() ?? 0 <= 6)
    }

    @Test("An error behind which packets went further does not end the trace") func passedError() {
        let path = path(to: 6)
        let run = run(.parallel) { probe, time in
            guard probe == TraceProbe(hop: 2, attempt: 2) else { return path(probe, time) }
            return Answer(answer: Self.error(3, 1, from: Self.router(2)), delay: 2)
        }
        #expect(run.plan.record.end == .reached)
        #expect(run.plan.record.resultHops.count == 6)
    }

    @Test("This machine's own error ends the trace at once", arguments: paces) func own(_ pace: TracePace) {
        let run = run(pace) { _, _ in Answer(answer: Self.error(3, 13, from: Self.own), delay: 0) }
        guard case .error(let error) = run.plan.record.end else { return #expect(Bool(false)) }
        #expect(error.isRefusedHere && run.plan.record.resultHops.isEmpty && run.sent.count == 1)
    }

    @Test("A loop ends the trace", arguments: paces) func loop(_ pace: TracePace) {
        let run = run(pace) { probe, _ in
            let router = probe.hop < 3 ? probe.hop : 3 + (probe.hop - 3) % 2
            return Answer(answer: Self.error(11, 0, from: Self.router(router)), delay: 1)
        }
        #expect(run.plan.record.end == .silent)
        #expect(run.packets.map(\.hop).max() ?? 0 <= 8)
        let path = run.plan.record.resultHops.map(\.addresses.first)
        #expect(RoutingLoop.find(in: path) == [Self.router(3), Self.router(4)])
    }

    @Test("One address for all routers is not a loop") func sameAddress() {
        let one: IPAddress? = Self.router(1)
        #expect(RoutingLoop.find(in: [one, one, one, one, one]).isEmpty)
        #expect(RoutingLoop.find(in: [one, nil, one, nil, one]).isEmpty)
        #expect(RoutingLoop.find(in: [one, Self.router(2), one]).isEmpty, "twice may be a change of the route")
        let three = [one, Self.router(2), Self.router(3)]
        #expect(RoutingLoop.find(in: three + three + [one]) == three.compactMap(\.self))
    }

    @Test("The ocean: connections that wait for hops one by one find those 200 ms behind the last")
    func ocean() {
        let path = path(to: 8)
        let run = run(.sequential) { probe, time in
            guard probe.hop > 3, let answer = path(probe, time)?.answer else { return path(probe, time) }
            return Answer(answer: answer, delay: 200)
        }
        #expect(run.plan.record.end == .reached)
        #expect(run.plan.record.resultHops.count == 8)
        #expect(run.plan.isWide && run.largestWidth > 1 && run.largestWidth <= 16)
        #expect(run.duration < 2_000)
    }

    @Test("Connections find hops whose answers take longer than a trace waits for its last packets") func far() {
        let path = path(to: 8)
        let run = run(.sequential) { probe, time in
            guard probe.hop > 3, let answer = path(probe, time)?.answer else { return path(probe, time) }
            return Answer(answer: answer, delay: 450)
        }
        #expect(run.plan.record.end == .reached && run.plan.record.resultHops.count == 8)
    }

    @Test("Answers that do not name their packet are found one by one, and only then believed") func unnamed() {
        let path = path(to: 6)
        let run = run(.parallel) { probe, time in
            guard var answer = path(probe, time) else { return nil }
            answer.isNamed = false
            return answer
        }
        #expect(run.plan.isResolving)
        #expect(run.plan.record.end == .reached)
        #expect(
            run.plan.record.resultHops.map(\.addresses) == (1...5).map { [Self.router($0)] } + [[Self.destination]]
        )
    }

    @Test("An answer that does not name its packet shows at least that the destination answers") func unplaced() {
        var isFirst = true
        let run = run(.parallel) { _, _ in
            defer { isFirst = false }
            return isFirst ? Answer(answer: Self.reply(), delay: 1, isNamed: false) : nil
        }
        #expect(run.plan.record.end == .reached && run.plan.record.resultHops.isEmpty)
    }

    @Test("Errors that do not end a packet's way are no answers, nor are those without a sender") func ignored() {
        for (type, code) in [(3, 4), (11, 1), (4, 0), (5, 1), (0, 0)] as [(UInt8, UInt8)] {
            #expect(Self.error(type, code, from: Self.router(1)) == nil)
        }
        let message = PacketError.Message(family: .ipv4, type: 11, code: 0, offender: nil)
        #expect(
            TraceAnswer(
                message,
                systemError: 0,
                local: nil,
                destination: Self.destination,
                roundTrip: 0,
                labels: []
            ) == nil
        )
    }

    @Test("Only the first answer to a packet counts, and none to packets that were not sent") func duplicates() throws {
        var record = TraceRecord(destination: Self.destination)
        let probe = TraceProbe(hop: 1, attempt: 1)
        let answer = try #require(Self.error(11, 0, from: Self.router(1)))
        record.add(answer, to: probe)
        record.add(answer, to: TraceProbe(hop: 0, attempt: 0))
        #expect(record.resultHops.isEmpty)
        record.send(probe, at: 5)
        record.add(answer, to: probe)
        record.add(Self.reply(), to: probe)
        record.add(answer, to: TraceProbe(hop: 1, attempt: 2))
        record.expire(TraceProbe(hop: 2, attempt: 1))
        #expect(record.resultHops.map(\.addresses) == [[Self.router(1)]])
        #expect(record.end == .silent && record.packetsSent == 1)
    }

    @Test("Whatever is lost, late or made up, a plan ends in time and within its packets", arguments: paces)
    func fuzz(_ pace: TracePace) {
        var generator = SeededGenerator(seed: 1_393)
        for _ in 0..<300 {
            let attempts = Int.random(in: 1...4, using: &generator)
            let maximum = Int.random(in: 1...64, using: &generator)
            let run = run(pace, attempts: attempts, maximumHops: maximum) { _, _ in
                guard Int.random(in: 0..<3, using: &generator) > 0 else { return nil }
                let router = Self.router(Int.random(in: 0..<40, using: &generator))
                let answer =
                    switch Int.random(in: 0..<12, using: &generator) {
                    case 0: Self.reply()
                    case 1: Self.error(3, 13, from: router)
                    case 2: Self.error(3, 3, from: Self.destination)
                    default: Self.error(11, 0, from: router)
                    }
                let delay = UInt64.random(in: 0..<2_500, using: &generator)
                return Answer(answer: answer, delay: delay, isNamed: Int.random(in: 0..<10, using: &generator) > 0)
            }
            let packets = run.packets
            #expect(packets.allSatisfy { (1...maximum).contains($0.hop) && $0.attempt <= attempts + 1 })
            #expect(Set(packets).count == packets.count)
            #expect(run.duration <= 2_000)
            let hops = run.plan.record.resultHops
            #expect(hops.count <= maximum && hops.map(\.number) == Array(1..<(hops.count + 1)))
            #expect(hops.allSatisfy { $0.lost >= 0 } && hops.last?.isSilent != true)
        }
    }
}
