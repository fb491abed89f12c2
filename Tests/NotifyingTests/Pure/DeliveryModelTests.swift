// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Notifying

/// Random changes, failures, refusals, restarts: what must hold whatever happens.
@Suite struct DeliveryModelTests {
    @Test("nothing is lost, and each target's messages are in order, whatever fails", arguments: UInt64(0)..<60)
    func withoutRestart(seed: UInt64) throws {
        var day = try DeliveryDay(seed: seed, restarts: false)
        day.run()
        #expect(day.faults == [])
        // Every change is named or counted, once.
        #expect(day.told + day.leftOut == day.wanted)
    }

    @Test("a restart at any moment repeats, and loses nothing", arguments: UInt64(100)..<180)
    func withRestarts(seed: UInt64) throws {
        var day = try DeliveryDay(seed: seed, restarts: true)
        day.run()
        #expect(day.faults == [])
        #expect(day.told + day.leftOut >= day.wanted)
        #expect(day.restarts > 0)
    }
}

/// A log that grows, a receiver that fails, and a process that dies.
private struct DeliveryDay {
    private var random: SeededGenerator
    private let settings: ReceiverSettings
    private let mayRestart: Bool
    private var machine: WebhookMachine
    private var log: [LogEntry] = []
    private var stored: [StoredEvent] = []
    private var position: UInt64 = 0
    private var now: UInt64 = 1_000_000_000
    private var wall: Int64 = 1_795_000_000_000
    /// The truth.
    private var states: [String: TargetState] = [:]
    /// What the receiver believes.
    private var believed: [String: TargetState] = [:]
    private var lastTold: [String: UInt64] = [:]
    private var isDead = false
    private var flying: [Delivery] = []
    /// What the last kept mark said.
    private var mark: String

    private(set) var wanted = 0
    private(set) var told = 0
    private(set) var leftOut = 0
    private(set) var restarts = 0
    private(set) var faults: [String] = []

    init(seed: UInt64, restarts: Bool) throws {
        random = SeededGenerator(seed: seed)
        mayRestart = restarts
        var settings = try ReceiverSettings.hook()
        settings.retry.refusals = .max
        self.settings = settings
        mark = "0"
        machine = Self.machine(settings, DeliveryMark(floor: 0), [], seed)
    }

    private static func machine(
        _ settings: ReceiverSettings,
        _ mark: DeliveryMark,
        _ problems: [StoredEvent],
        _ seed: UInt64
    ) -> WebhookMachine {
        guard case .webhook(let webhook) = settings.channel else { preconditionFailure("a webhook") }
        return WebhookMachine(
            settings,
            webhook,
            mark: mark,
            transitions: problems.compactMap { StateChange($0, epoch: "e") },
            random: SeededGenerator(seed: seed)
        )
    }

    mutating func run() {
        for step in 0..<600 {
            // For a third of the time nothing arrives, and more happens than may wait.
            isDead = (200..<400).contains(step)
            happen()
            if random.once(in: 2) { turn() }
            if mayRestart, random.once(in: 60) { restart() }
        }
        // All is well in the end.
        isDead = false
        for _ in 0..<4_000 where machine.mark.floor < UInt64(log.count) || machine.waiting > 0 {
            turn(isCalm: true)
            // Nobody looks before the time that it says.
            guard let deadline = machine.deadline(isCaughtUp: position == log.count) else { continue }
            now = max(now, deadline)
        }
        if machine.mark.floor != UInt64(log.count) { faults.append("\(machine.mark) of \(log.count)") }
        for (target, state) in states where believed[target, default: .up] != state {
            faults.append("\(target) is \(state), and told as \(believed[target, default: .up])")
        }
    }

    private mutating func happen() {
        let passed = UInt64.random(in: 0...8_000, using: &random)
        now += passed * 1_000_000
        wall += Int64(passed)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let sequence = UInt64(log.count) + 1
            guard !random.once(in: 4) else {
                log.append(.other(sequence: sequence))
                continue
            }
            let target = "t\(Int.random(in: 0..<5, using: &random))"
            let old = states[target, default: .up]
            let new =
                [.up, .up, .down, .degraded, .unreachable, .unreachable].randomElement(using: &random) ?? TargetState.up
            states[target] = new
            if old != new { wanted += 1 }
            let change = StateChange(
                id: EventID(epoch: "e", sequence: sequence),
                at: Timestamp(milliseconds: wall),
                target: target,
                // reachd itself was started again.
                from: random.once(in: 10) ? .unknown : old,
                to: new
            )
            log.append(.change(change))
            stored.append(
                StoredEvent(
                    sequence: sequence,
                    at: change.at,
                    type: .state,
                    target: target,
                    transition: .init(from: change.from, to: new, reason: nil, cause: nil),
                    data: []
                )
            )
        }
    }

    private mutating func turn(isCalm: Bool = false) {
        while machine.hasRoom, position < log.count {
            let slice = log[Int(position)...].prefix(isCalm ? 256 : Int.random(in: 1...20, using: &random))
            machine.take(Array(slice), now: now)
            position += UInt64(slice.count)
        }
        machine.advance(now: now, isCaughtUp: position == log.count)
        while let delivery = machine.next(now: now, at: Timestamp(milliseconds: wall)) { flying.append(delivery) }
        if flying.count > MessageQueue.width { faults.append("\(flying.count) are under way") }
        while !flying.isEmpty, isCalm || !random.once(in: 4) {
            let delivery = flying.remove(at: Int.random(in: 0..<flying.count, using: &random))
            let failure = DeliveryFailure(code: "x", detail: "")
            switch isDead ? 9 : isCalm ? 0 : Int.random(in: 0..<8, using: &random) {
            case 0...4:
                receive(delivery)
                _ = machine.finish(delivery.token, .accepted(status: 200), now: now)
            case 5: _ = machine.finish(delivery.token, .refused(failure), now: now)
            default: _ = machine.finish(delivery.token, .failed(failure, retryAfter: nil), now: now)
            }
        }
        // The place is kept now and then.
        if random.once(in: 3) { mark = machine.mark.description }
    }

    private mutating func receive(_ delivery: Delivery) {
        let reading = MessageReading(body: String(decoding: delivery.body, as: UTF8.self))
        let targets = reading.targets
        leftOut += reading.number("$.left_out") ?? 0
        told += targets.count
        for (target, state, sequence) in targets {
            if sequence <= lastTold[target, default: 0] {
                faults.append("\(target): \(sequence) after \(lastTold[target, default: 0])")
            }
            lastTold[target] = sequence
            believed[target] = TargetState(rawValue: state)
        }
    }

    private mutating func restart() {
        restarts += 1
        // What was on its way may have arrived.
        for delivery in flying where random.once(in: 2) { receive(delivery) }
        flying = []
        guard let mark = DeliveryMark(mark) else {
            faults.append("no mark: \(mark)")
            return
        }
        let problems = Dictionary(grouping: stored.filter { $0.sequence <= mark.floor }, by: \.target)
            .compactMap { $0.value.last }.filter { $0.transition?.to != .up }
        machine = Self.machine(settings, mark, problems, UInt64(restarts))
        position = mark.floor
        // From here on it may be told again.
        lastTold = [:]
    }
}
