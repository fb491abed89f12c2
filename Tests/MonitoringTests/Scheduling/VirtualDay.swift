// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Probing
import TestSupport

@testable import Monitoring

/// 24 hours of a world without a clock: targets that fail at random, an uplink that goes, a machine that sleeps, people who
/// pause things; driven through the schedule, the queue and the machine, and beside it through the naive model.
struct VirtualDay {
    static let second: UInt64 = 1_000_000_000
    static let length = 86_400 * second
    static let timeout = 5 * second

    struct Target {
        var machine: HealthStateMachine<Int>
        var model: NaiveVerdict
        let schedule: ProbeSchedule
        var behaviour = ProbeOutcome.success
        var lastDue: UInt64 = 0
        var lastStart: UInt64 = 0
        /// What ended under another number was cancelled before.
        var run: UInt64 = 0
        /// Whether the next turn is one of the grid, and whether something else moved it away.
        var isOnGrid = false
        var transitions: [StateTransition] = []
        var expected: [StateTransition] = []
    }

    struct Moment: Comparable {
        enum What {
            case behave(Int, ProbeOutcome)
            case emit(Int, VerdictInput<Int>)
            case tellAll(VerdictInput<Int>)
            case end(Int, run: UInt64, ProbeOutcome)
        }
        let time: UInt64
        let number: Int
        let what: What

        static func < (left: Moment, right: Moment) -> Bool { (left.time, left.number) < (right.time, right.number) }
        static func == (left: Moment, right: Moment) -> Bool { left.number == right.number }
    }

    var targets: [Target] = []
    let queue: ProbeScheduler<Int>
    var moments = BinaryHeap<Moment>()
    var generator: SeededGenerator
    var now: UInt64 = 0
    var probes = 0
    var missed: UInt64 = 0
    var faults: [String] = []

    init(seed: UInt64, targets count: Int) throws {
        generator = SeededGenerator(seed: seed)
        queue = ProbeScheduler(limits: try ProbeSchedulerLimits(total: count, perAddress: 2))
        for index in 0..<count {
            let interval: Duration = .seconds([100, 180, 300][index % 3])
            let settings = try VerdictSettings(
                interval: interval,
                confirmInterval: .seconds(3),
                backoffFactor: index % 2 == 0 ? 1 : 1.5,
                maximumInterval: .seconds(900)
            )
            let target = Target(
                machine: HealthStateMachine(settings: settings),
                model: NaiveVerdict(settings),
                schedule: try ProbeSchedule(id: "target-\(index)", interval: interval)
            )
            targets.append(target)
            let turn = target.schedule.first(at: 0, spread: .seconds(5))
            targets[index].lastDue = turn.due
            queue.schedule(UInt64(index), due: turn.due, address: index / 2)
        }
        plan()
    }

    mutating func run() {
        while true {
            let next = min(moments.first?.time ?? .max, queue.nextDue() ?? .max)
            now = max(now, next)
            guard now < Self.length else { break }
            while let moment = moments.first, moment.time <= now {
                moments.removeFirst()
                take(moment.what)
            }
            while let start = queue.start(at: now) { begin(start) }
        }
        for (index, target) in targets.enumerated() where !target.machine.isResting {
            checkGap(index, until: Self.length)
        }
    }

    // MARK: the plan

    private var planned = 0

    private mutating func add(_ time: UInt64, _ what: Moment.What) {
        planned += 1
        moments.insert(Moment(time: time, number: planned, what: what))
    }

    private mutating func time(_ range: Range<UInt64>) -> UInt64 { .random(in: range, using: &generator) * 1_000_003 }

    private mutating func plan() {
        let day: Range<UInt64> = 60_000..<80_000_000
        for index in targets.indices {
            for _ in 0..<12 {
                let behaviour: ProbeOutcome = generator.once(in: 3) ? .degraded : .failure
                let start = time(day)
                add(start, .behave(index, behaviour))
                add(start + time(1000..<2_400_000), .behave(index, .success))
            }
            if index % 4 == 0 { pair(index, time(day), .maintenanceBegins, .maintenanceEnds) }
            if index % 5 == 0 { pair(index, time(day), .pause, .resume) }
            if index % 3 == 0 { pair(index, time(day), .path(isSatisfied: false), .path(isSatisfied: true)) }
        }
        for _ in 0..<6 {
            let start = time(day)
            add(start, .tellAll(.path(isSatisfied: false)))
            add(start + time(1..<600_000), .tellAll(.path(isSatisfied: true)))
            add(time(day), .tellAll(.suspended))
        }
    }

    private mutating func pair(
        _ index: Int,
        _ start: UInt64,
        _ first: VerdictInput<Int>,
        _ second: VerdictInput<Int>
    ) {
        add(start, .emit(index, first))
        add(start + time(1..<3_600_000), .emit(index, second))
    }

    // MARK: what happens

    private mutating func take(_ what: Moment.What) {
        switch what {
        case .behave(let index, let behaviour): targets[index].behaviour = behaviour
        case .emit(let index, let input): emit(index, input)
        case .tellAll(let input): for index in targets.indices { emit(index, input) }
        case .end(let index, let run, let verdict):
            guard targets[index].run == run else { return }
            queue.finish(UInt64(index), timedOut: verdict == .failure)
            emit(index, .result(verdict, Int(run)))
            guard let wait = targets[index].machine.nextInterval else { return }
            let turn = targets[index].schedule.next(after: now, lastDue: targets[index].lastDue, wait: wait)
            missed += turn.missed
            targets[index].isOnGrid = wait >= targets[index].machine.settings.interval
            queue.schedule(UInt64(index), due: turn.due, address: index / 2)
        }
    }

    private mutating func begin(_ start: ProbeStart) {
        let index = Int(start.id)
        if start.lateness > 0 { faults.append("\(index) started \(start.lateness) ns late at \(now)") }
        if targets[index].machine.isResting { faults.append("\(index) probed while it rests at \(now)") }
        if targets[index].isOnGrid { checkGrid(index, start.due) }
        checkGap(index, until: now)
        probes += 1
        targets[index].lastDue = start.due
        targets[index].lastStart = now
        targets[index].run += 1
        var verdict = targets[index].behaviour
        // A quarter of the probes of a target in trouble gets through, and one in 500 fails anyway.
        if verdict != .success, generator.once(in: 4) { verdict = .success }
        if verdict == .success, generator.once(in: 500) { verdict = .failure }
        let time = verdict == .failure ? Self.timeout : .random(in: 100_000..<50_000_000, using: &generator)
        add(now + time, .end(index, run: targets[index].run, verdict))
    }

    private mutating func emit(_ index: Int, _ input: VerdictInput<Int>) {
        let before = targets[index].model.state
        let output = targets[index].machine.handle(input)
        let order = targets[index].model.handle(input)
        let after = targets[index].model.state
        if let transition = output.transition { targets[index].transitions.append(transition) }
        if before != after { targets[index].expected.append(StateTransition(from: before, to: after)) }
        if output.order != order { faults.append("\(index): \(input) ordered \(output) at \(now)") }
        if targets[index].machine.state != after { faults.append("\(index): \(input) made another state at \(now)") }
        guard let order = output.order else { return }
        queue.cancel(UInt64(index))
        targets[index].run += 1
        queue.finish(UInt64(index), timedOut: false)
        targets[index].isOnGrid = false
        guard order == .atOnce else { return }
        targets[index].lastStart = now
        queue.schedule(UInt64(index), due: now, address: index / 2)
    }

    // MARK: what must hold

    private mutating func checkGrid(_ index: Int, _ due: UInt64) {
        let schedule = targets[index].schedule
        let place = (due + schedule.jitter + schedule.interval - schedule.phase) % schedule.interval
        if place > 2 * schedule.jitter { faults.append("\(index) is off its grid at \(due)") }
    }

    /// The longest backoff, half an interval to be on the grid again, and the jitter.
    private mutating func checkGap(_ index: Int, until time: UInt64) {
        let settings = targets[index].machine.settings
        let longest = settings.backoffFactor == 1 ? settings.interval : settings.maximumInterval
        let most = longest.nanoseconds + settings.interval.nanoseconds * 7 / 10 + Self.timeout
        if time - targets[index].lastStart > most { faults.append("\(index) is stuck at \(time)") }
    }
}
