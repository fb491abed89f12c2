// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import Monitoring
import Probing
import TestSupport
import Testing

@testable import Notifying

/// Random lives of targets, outages, restarts, failures and refusals: what must hold whatever happens.
///
/// For each receiver and target `firing` and `resolved` alternate (another state may be firing in between), nothing is resolved that
/// did not fire, and everything that fired is resolved when it is up, removed or not routed to the receiver any more.
@Suite struct DeliveryModelTests {
    /// Lives of each kind; `MODEL_LIVES` says another number.
    private static let count = unsafe getenv("MODEL_LIVES").flatMap { unsafe UInt64(String(cString: $0)) } ?? 15

    private static func seeds(from first: UInt64) -> Range<UInt64> { first..<first + count }

    @Test("an Alertmanager: alternating and complete, whatever fails", arguments: seeds(from: 2_000_000))
    func alertmanager(seed: UInt64) throws {
        var day = try DeliveryDay(seed: seed, restarts: false)
        #expect(day.run() == [])
    }

    @Test("an Alertmanager, over restarts at any moment", arguments: seeds(from: 3_000_000))
    func alertmanagerWithRestarts(seed: UInt64) throws {
        var day = try DeliveryDay(seed: seed, restarts: true)
        #expect(day.run() == [])
        #expect(day.restarts > 0)
    }
}

/// A log that grows, a receiver that fails, and a process that dies.
private struct DeliveryDay {
    /// A target, as the registry has it.
    private struct Life {
        var state = TargetState.unknown
        var group = "g"
        var isDeclared = true
    }

    private let mayRestart: Bool
    private let settings: ReceiverSettings
    private var random: SeededGenerator
    private var machine: any ReceiverMachine
    private var log: [LogEntry] = []
    private var position: UInt64 = 0
    private var now: UInt64 = 1_000_000_000
    private var wall: Int64 = 1_795_000_000_000
    private var lives: [String: Life] = [:]
    private var isNetworkUp = true
    private var isDead = false
    private var flying: [(delivery: Delivery, message: ModelMessage)] = []
    /// What the event log's file has of the receiver's place.
    private var kept: String
    private var receiver: ModelAlertmanager
    private(set) var restarts = 0
    private var faults: [String] = []

    init(seed: UInt64, restarts: Bool) throws {
        mayRestart = restarts
        random = SeededGenerator(seed: seed)
        var settings = try ReceiverSettings.manager()
        settings.retry.refusals = .max
        switch seed % 5 {
        case 0: settings.filter.minimumSeverity = .critical
        case 1: settings.filter.groups = ["g"]
        case 2: settings.filter.to = [.down, .up]
        case 3: settings.filter.from = [.up, .degraded]
        default: break
        }
        self.settings = settings
        receiver = ModelAlertmanager()
        kept = ReceiverOffset(floor: 0).description
        machine = try Self.machine(settings, ReceiverOffset(floor: 0), [], nil, seed)
        for number in 0..<6 { lives["t\(number)"] = Life() }
    }

    private static func machine(
        _ settings: ReceiverSettings,
        _ place: ReceiverOffset,
        _ transitions: [StateChange],
        _ reported: ReportedTargets?,
        _ seed: UInt64
    ) throws -> any ReceiverMachine {
        guard case .alertmanager(let alertmanager) = settings.channel else { throw NoAlertmanager() }
        return AlertmanagerMachine(
            settings,
            alertmanager,
            place: place,
            transitions: transitions,
            reported: reported,
            random: SeededGenerator(seed: seed)
        )
    }

    private struct NoAlertmanager: Error {}

    /// What was wrong.
    mutating func run() -> [String] {
        for step in 0..<500 {
            // For a part of the time nothing arrives.
            isDead = (200..<280).contains(step)
            happen()
            if random.once(in: 2) { turn() }
            if mayRestart, random.once(in: 50) { restart() }
        }
        isDead = false
        restoreNetwork()
        calm()
        for (target, life) in lives where life.isDeclared && life.state == .down && isPlain {
            if receiver.isResolved(target) { faults.append("\(target) is down, and resolved") }
        }
        // All is well in the end.
        for target in lives.keys.sorted() where lives[target]?.isDeclared == true { judge(target, .up) }
        calm()
        other()
        calm()
        if machine.mark.floor != UInt64(log.count) { faults.append("\(machine.mark) of \(log.count)") }
        faults += receiver.faults
        faults += receiver.unresolved.map { "\($0) was not resolved" }
        return faults
    }

    /// Whether the receiver is notified of every target that is down.
    private var isPlain: Bool {
        settings.filter == NotificationFilter() || settings.filter.minimumSeverity == .critical
    }

    // MARK: What happens

    private mutating func happen() {
        let passed = UInt64.random(in: 0...(random.once(in: 10) ? 100_000 : 4_000), using: &random)
        now += passed * 1_000_000
        wall += Int64(passed)
        let target = "t\(Int.random(in: 0..<6, using: &random))"
        guard let life = lives[target] else { return }
        switch Int.random(in: 0..<14, using: &random) {
        case 0: other()
        case 1, 2: isNetworkUp ? loseNetwork() : restoreNetwork()
        case 3 where life.isDeclared:
            log.append(.removal(change(target, life.state, .unknown).ended(.removed)))
            lives[target] = Life(isDeclared: false)
        case 3,
            4 where !life.isDeclared:
            lives[target] = Life()
        case 4 where life.isDeclared:
            lives[target]?.group = life.group == "g" ? "h" : "g"
            log.append(.update(change(target, life.state, life.state)))
        case 5 where life.isDeclared: judge(target, random.once(in: 2) ? .maintenance : .paused)
        case 6 where life.isDeclared: judge(target, .unknown)
        default:
            guard life.isDeclared, isNetworkUp else { return }
            judge(target, [.up, .up, .down, .down, .degraded].randomElement(using: &random) ?? .up)
        }
    }

    private mutating func loseNetwork() {
        isNetworkUp = false
        for (target, life) in lives.sorted(by: { $0.key < $1.key }) where life.isDeclared && life.state.isJudgement {
            judge(target, .unreachable)
        }
    }

    private mutating func restoreNetwork() {
        isNetworkUp = true
        for (target, life) in lives.sorted(by: { $0.key < $1.key }) where life.isDeclared && life.state == .unreachable
        {
            judge(target, [.up, .up, .up, .down, .degraded].randomElement(using: &random) ?? .up)
        }
    }

    private mutating func judge(_ target: String, _ state: TargetState) {
        guard let old = lives[target]?.state, old != state else { return }
        log.append(.change(change(target, old, state)))
        lives[target]?.state = state
    }

    private var id: EventID { EventID(epoch: "e", sequence: UInt64(log.count) + 1) }

    private mutating func other() { log.append(.other(id: id, at: Timestamp(milliseconds: wall))) }

    private func change(_ target: String, _ old: TargetState, _ new: TargetState) -> StateChange {
        StateChange(
            id: id,
            at: Timestamp(milliseconds: wall),
            target: target,
            group: lives[target]?.group,
            from: old,
            to: new,
            cause: new == .up ? nil : new == .unreachable ? .localNetwork : .target
        )
    }

    // MARK: What the receiver gets

    private mutating func turn(isCalm: Bool = false) {
        while machine.hasRoom, position < log.count {
            let slice = log[Int(position)...].prefix(isCalm ? 256 : Int.random(in: 1...20, using: &random))
            machine.take(Array(slice), now: now)
            position += UInt64(slice.count)
        }
        machine.advance(now: now, at: Timestamp(milliseconds: 0), isCaughtUp: position == log.count)
        while let delivery = machine.next(now: now, at: Timestamp(milliseconds: wall)) {
            let reading = MessageReading(body: String(decoding: delivery.body, as: UTF8.self))
            let message = receiver.read(reading, at: Timestamp(milliseconds: wall))
            receiver.note(message)
            flying.append((delivery, message))
        }
        if flying.count > MessageQueue.width { faults.append("\(flying.count) are under way") }
        while !flying.isEmpty, isCalm || !random.once(in: 4) {
            let (delivery, message) = flying.remove(at: Int.random(in: 0..<flying.count, using: &random))
            let failure = DeliveryFailure(code: "x", detail: "")
            switch isDead ? 9 : isCalm ? 0 : Int.random(in: 0..<8, using: &random) {
            case 0...4:
                receiver.take(message)
                receiver.accept(message)
                _ = machine.finish(delivery.token, .accepted(status: 200), now: now)
            // A refused Alertmanager's request is given up in parts; that is another test.
            default:
                // What failed may have arrived.
                if random.once(in: 2) { receiver.take(message) }
                _ = machine.finish(delivery.token, .failed(failure, retryAfter: nil), now: now)
            }
        }
        if random.once(in: 3) { keep() }
    }

    private mutating func calm() {
        for _ in 0..<4_000 where machine.mark.floor < UInt64(log.count) || machine.waiting > 0 || !flying.isEmpty {
            turn(isCalm: true)
            // Nobody looks before the time that it says.
            guard let deadline = machine.deadline(isCaughtUp: position == log.count) else { continue }
            now = max(now, deadline)
        }
    }

    private mutating func keep() {
        kept = machine.place.description
        receiver.keep()
    }

    private mutating func restart() {
        restarts += 1
        // What was on its way may have arrived.
        for (_, message) in flying {
            if random.once(in: 2) { receiver.take(message) }
        }
        flying = []
        // Usually the place is kept at the end; after a kill it is one of before.
        if !random.once(in: 4) { keep() }
        receiver.restart()
        guard let place = ReceiverOffset(kept), place.description == kept else {
            faults.append("no place: \(kept)")
            return
        }
        // Of each target the last judgement; some were taken out of the configuration meanwhile.
        var last: [String: StateChange] = [:]
        for case .change(let change) in log.prefix(Int(place.mark.floor)) where change.to.isJudgement {
            last[change.target] = change
        }
        for target in lives.keys.sorted() where random.once(in: 10) {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: lives[target]?.isDeclared.toggle()
            case 1: lives[target]?.isDeclared = false
            default: lives[target]?.group = "h"
            }
        }
        let reported = ReportedTargets(beginning: UInt64(log.count)) { [lives, settings] target in
            guard let life = lives[target], life.isDeclared else { return .removed }
            return settings.filter.routes(target, group: life.group, tags: [:]) ? nil : .unrouted
        }
        let problems = last.values.filter { $0.to.isProblem }.sorted { $0.sequence < $1.sequence }
        do {
            machine = try Self.machine(
                settings,
                place,
                problems,
                reported,
                UInt64(restarts)
            )
        } catch {
            faults.append("\(error)")
        }
        position = place.mark.floor
        other()
        for (target, life) in lives.sorted(by: { $0.key < $1.key }) {
            guard life.isDeclared else {
                lives[target] = Life(isDeclared: false)
                continue
            }
            lives[target]?.state = .unknown
            if life.state != .unknown { judge(target, life.state) }
        }
    }
}
