// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import Monitoring
import NetworkPaths
import TestSupport
import Testing

@testable import Notifying

/// Random histories of uplink, targets, receivers, people and reachd itself: what must hold whatever happens.
///
/// Each receiver is notified of an incident's opening and of its end in turns; nothing ends that was not reported, and everything that was
/// reported ends. A receiver without a filter is notified of every incident that lasted long enough.
@Suite struct IncidentDeliveryModelTests {
    /// Histories of each kind; `MODEL_LIVES` says another number.
    private static let count = unsafe getenv("MODEL_LIVES").flatMap { unsafe UInt64(String(cString: $0)) } ?? 250

    @Test("each receiver is notified of each incident's opening and end, whatever fails", arguments: 0..<4)
    func deliveries(part: UInt64) throws {
        for seed in part * Self.count / 4..<(part + 1) * Self.count / 4 {
            var day = try IncidentDay(seed: seed, restarts: false)
            let faults = day.run()
            #expect(faults == [], "seed \(seed)")
        }
    }

    @Test("the same over restarts at any moment", arguments: 0..<4)
    func restarts(part: UInt64) throws {
        var restarts = 0
        for seed in part * Self.count / 4..<(part + 1) * Self.count / 4 {
            var day = try IncidentDay(seed: 1_000_000 + seed, restarts: true)
            let faults = day.run()
            #expect(faults == [], "seed \(seed)")
            restarts += day.restarts
        }
        #expect(restarts > 0)
    }
}

/// A log of incidents that grows, a receiver that fails, people, and a process that dies.
private struct IncidentDay {
    private struct Life {
        var group = "g"
        var isDeclared = true
        /// Why it fails by itself; nil: it does not.
        var fault: (cause: IncidentCause, state: TargetState)?
    }

    private let mayRestart: Bool
    private let isPlain: Bool
    private let settings: ReceiverSettings
    private let incidents = ImitatedIncidents()
    private var random: SeededGenerator
    private var machine: IncidentMachine
    private var position: UInt64 = 0
    private var now: UInt64 = 1_000_000_000
    private var wall: Int64 = 1_795_000_000_000
    private var lives: [String: Life] = [:]
    private var isNetworkUp = true
    private var isDead = false
    private var flying: [(delivery: Delivery, arrival: ModelIncidentReceiver.Arrival?)] = []
    /// The incidents whose last message failed, and may have arrived.
    private var failed: Set<String> = []
    private var stored: String
    private var receiver = ModelIncidentReceiver()
    private(set) var restarts = 0
    private var faults: [String] = []

    init(seed: UInt64, restarts: Bool) throws {
        mayRestart = restarts
        random = SeededGenerator(seed: seed)
        var settings = try ReceiverSettings.hook()
        settings.retry.refusals = .max
        switch seed % 9 {
        case 1: settings.filter.groups = ["g"]
        case 2: settings.filter.minimumSeverity = .critical
        case 3: settings.schedule.escalation = .seconds(300)
        case 4:
            settings.schedule.quiet.windows = [
                try MaintenanceWindow(weekdays: Set(Weekday.allCases), startMinute: 0, durationMinutes: 600)
            ]
        case 5: settings.schedule.reminder = .seconds(600)
        case 6: settings.pace.perTarget = 2
        case 7: settings.filter.to = [.down, .up]
        case 8: settings.severities.groups = ["g": .info, "h": .critical]
        default: break
        }
        if seed % 5 == 0 { settings.pace.groupWait = .seconds(60) }
        isPlain = seed % 9 == 0
        self.settings = settings
        stored = ReceiverOffset(floor: 0).description
        for number in 0..<6 {
            lives["t\(number)"] = Life()
            incidents.declare("t\(number)", group: "g")
        }
        machine = IncidentMachine(
            settings,
            place: ReceiverOffset(floor: 0),
            incidents: incidents.forReceivers,
            random: SeededGenerator(seed: seed)
        )
    }

    /// What was wrong.
    mutating func run() -> [String] {
        for step in 0..<300 {
            // For a part of the time nothing arrives.
            isDead = (120..<180).contains(step)
            happen()
            if random.once(in: 2) { turn() }
            if mayRestart, random.once(in: 40) { restart() }
        }
        isDead = false
        calm()
        isNetworkUp = true
        for target in lives.keys.sorted() {
            lives[target]?.fault = nil
            observe(target)
        }
        for _ in 0..<4 {
            wall += 3_600_000
            now += 3_600_000_000_000
            incidents.other(at: wall)
            calm()
        }
        if machine.mark.floor != UInt64(incidents.log.count) { faults.append("\(machine.mark)") }
        faults += receiver.faults + receiver.unresolved(isMuted: !isPlain).map { "\($0) was not resolved" }
        let left = machine.place.notices
        if !left.isEmpty { faults.append("\(left) is kept for ever") }
        if isPlain { checkCompleteness() }
        return faults
    }

    private mutating func checkCompleteness() {
        for incident in incidents.forReceivers.list(since: Timestamp(milliseconds: 0)) {
            let members = incidents.incident(incident.id, membersFrom: 0, limit: .max)?.members ?? []
            let wait = incident.cause.place == .target ? 0 : Int64(settings.pace.groupWait / .milliseconds(1))
            // A member that failed several times is known by its last time only.
            let lasted = members.map { ($0.until ?? $0.from).milliseconds - $0.from.milliseconds }.max() ?? 0
            if lasted >= wait, members.allSatisfy({ $0.turns == 1 }), !receiver.known.contains(incident.id) {
                faults.append("\(incident.title) was not reported")
            }
            let openings = receiver.openings[incident.id] ?? 0
            if !mayRestart, openings > 1 + incident.reopenings { faults.append("\(incident.title): \(openings) times") }
        }
    }

    // MARK: What happens

    private mutating func happen() {
        let passed = UInt64.random(in: 0...(random.once(in: 10) ? 1_000_000 : 8_000), using: &random)
        now += passed * 1_000_000
        wall += Int64(passed)
        let target = "t\(Int.random(in: 0..<6, using: &random))"
        switch Int.random(in: 0..<14, using: &random) {
        case 0: incidents.other(at: wall)
        case 1, 2:
            isNetworkUp.toggle()
            if isNetworkUp {
                for target in lives.keys.sorted() { observe(target) }
            } else {
                let declared = lives.filter(\.value.isDeclared).keys.sorted()
                incidents.happen(declared, .failing(IncidentCause(.link, "eth0"), .path, .unreachable), at: wall)
            }
        case 3:
            let isDeclared = lives[target]?.isDeclared == true
            if isDeclared { incidents.happen([target], .leaving(.removed), at: wall) }
            lives[target] = Life(isDeclared: !isDeclared)
            incidents.declare(target, group: isDeclared ? nil : "g")
        case 4 where lives[target]?.isDeclared == true:
            let group = lives[target]?.group == "g" ? "h" : "g"
            lives[target]?.group = group
            incidents.declare(target, group: group)
        case 5 where lives[target]?.isDeclared == true:
            incidents.happen([target], .leaving(random.once(in: 2) ? .paused : .maintenance), at: wall)
        case 6: if !isPlain { editAny() }
        case 7, 8: refuse()
        default:
            guard lives[target]?.isDeclared == true else { return }
            let state: TargetState = random.once(in: 3) ? .degraded : .down
            let isOver = lives[target]?.fault != nil
            lives[target]?.fault = isOver ? nil : (IncidentCause(.target, target), state)
            observe(target)
        }
    }

    /// A host that three targets share refuses connections, or does not any more.
    private mutating func refuse() {
        let isOver = lives["t0"]?.fault != nil
        for target in ["t0", "t1", "t2"] {
            lives[target]?.fault = isOver ? nil : (IncidentCause(.refusal, "198.51.100.1"), .down)
            observe(target)
        }
    }

    private mutating func observe(_ target: String) {
        guard isNetworkUp, let life = lives[target], life.isDeclared else { return }
        let condition = life.fault.map { IncidentObservation.Condition.failing($0.cause, .target, $0.state) }
        incidents.happen([target], condition ?? .up, at: wall)
    }

    private mutating func editAny() {
        guard let incident = incidents.forReceivers.list(since: nil).randomElement(using: &random) else { return }
        var edit = IncidentEdit()
        switch Int.random(in: 0..<4, using: &random) {
        case 0: edit.acknowledgedBy = .some("anna")
        case 1: edit.acknowledgedBy = .some(nil)
        case 2: edit.mutedUntil = .some(Timestamp(milliseconds: wall + 1_800_000))
        default: edit.mutedUntil = .some(nil)
        }
        incidents.edit(incident.id, edit, at: wall)
    }

    // MARK: What the receiver gets

    private mutating func turn(isCalm: Bool = false) {
        let log = incidents.log
        while machine.hasRoom, position < log.count {
            let slice = log[Int(position)...].prefix(isCalm ? 256 : Int.random(in: 1...20, using: &random))
            machine.take(Array(slice), now: now)
            position += UInt64(slice.count)
        }
        let moment = Timestamp(milliseconds: wall)
        machine.advance(now: now, at: moment, isCaughtUp: true)
        while let delivery = machine.next(now: now, at: moment) {
            let reading = MessageReading(body: String(decoding: delivery.body, as: UTF8.self))
            flying.append((delivery, ModelIncidentReceiver.Arrival(reading)))
        }
        if flying.count > MessageQueue.width { faults.append("\(flying.count) are on their way") }
        while !flying.isEmpty, isCalm || !random.once(in: 4) {
            let (delivery, arrival) = flying.remove(at: Int.random(in: 0..<flying.count, using: &random))
            let failure = DeliveryFailure(code: "x", detail: "")
            switch isDead ? 9 : isCalm ? 0 : Int.random(in: 0..<8, using: &random) {
            case 0...4:
                if let arrival {
                    receiver.take(arrival)
                    failed.remove(arrival.key)
                }
                _ = machine.finish(delivery.token, .accepted(status: 200), now: now)
            case 5: _ = machine.finish(delivery.token, .refused(failure), now: now)
            default:
                if let arrival, random.once(in: 2) {
                    receiver.take(arrival)
                    failed.insert(arrival.key)
                }
                _ = machine.finish(delivery.token, .failed(failure, retryAfter: nil), now: now)
            }
        }
        if random.once(in: 3) { store() }
    }

    private mutating func calm() {
        for _ in 0..<6_000 {
            turn(isCalm: true)
            let isOwing = machine.waiting > 0 || !flying.isEmpty || position < incidents.log.count
            guard
                isOwing
                    || isNetworkUp && !receiver.unresolved(isMuted: !isPlain).isEmpty
                        && lives.allSatisfy({ $0.value.fault == nil })
            else { return }
            guard let deadline = machine.deadline(isCaughtUp: true), deadline > now else { continue }
            wall += Int64((deadline - now + 999_999) / 1_000_000)
            now = deadline
        }
        faults.append("it does not come to rest: \(machine.place)")
    }

    private mutating func store() {
        stored = machine.place.description
        // Messages that failed may have arrived.
        let uncertain = machine.place.notices.filter { $0.value.state == .opening }.keys
        receiver.store(uncertain: Set(flying.compactMap(\.arrival?.key)).union(uncertain).union(failed))
    }

    private mutating func restart() {
        restarts += 1
        // What was on its way may have arrived.
        for (_, arrival) in flying {
            if let arrival, random.once(in: 2) { receiver.take(arrival) }
        }
        // Usually the place is stored at the end; after a kill it is one of before.
        if !random.once(in: 4) { store() }
        flying = []
        guard let place = ReceiverOffset(stored), place.description == stored else {
            faults.append("no place: \(stored)")
            return
        }
        receiver.restart(begun: Set(place.notices.filter { [.opening, .open].contains($0.value.state) }.keys))
        incidents.restart()
        machine = IncidentMachine(
            settings,
            place: place,
            incidents: incidents.forReceivers,
            random: SeededGenerator(seed: UInt64(restarts))
        )
        position = place.mark.floor
        incidents.other(at: wall)
    }
}
