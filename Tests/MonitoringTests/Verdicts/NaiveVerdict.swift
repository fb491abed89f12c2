// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing

/// The machine's tables written down a second time, without counters: it keeps the results themselves and looks at the last
/// ones, and finds out what is pending by trying.
struct NaiveVerdict {
    let settings: VerdictSettings
    var holds: Set<String> = []
    var verdict: TargetState?
    var meanwhile = TargetState.unknown
    var results: [ProbeOutcome] = []
    var sinceDown: [ProbeOutcome] = []
    var previous: ProbeOutcome?
    var changes: [Bool] = []
    var isFlapping = false
    var lastReasons: [TargetState: Int] = [:]

    init(_ settings: VerdictSettings) { self.settings = settings }

    var mayProbe: Bool { holds.isDisjoint(with: ["pause", "path", "parent"]) }

    var state: TargetState {
        for (hold, state) in [
            ("pause", TargetState.paused), ("maintenance", .maintenance), ("path", .unreachable),
            ("parent", .unreachable),
        ] where holds.contains(hold) {
            return state
        }
        return verdict ?? meanwhile
    }

    var reason: Int? { holds.isEmpty ? lastReasons[verdict ?? .unknown] : nil }

    mutating func handle(_ input: VerdictInput<Int>) -> ProbeOrder? {
        let could = mayProbe
        switch input {
        case .result(let result, let reason): if could { take(result, reason) }
        case .path(let isSatisfied): set("path", !isSatisfied)
        case .parent(let isUp): set("parent", !isUp)
        case .pause: set("pause", true)
        case .resume: set("pause", false)
        case .maintenanceBegins: set("maintenance", true)
        case .maintenanceEnds: set("maintenance", false)
        case .suspended:
            forget()
            return could ? .atOnce : nil
        }
        guard could != mayProbe else { return nil }
        forget()
        verdict = nil
        lastReasons = [:]
        if could { return .rest }
        if case .resume = input {
            meanwhile = .unknown
        } else {
            meanwhile = .unreachable
        }
        return .atOnce
    }

    /// Feeds the last result again until something changes.
    var pending: PendingVerdict? {
        guard let last = results.last, holds.subtracting(["maintenance"]).isEmpty else { return nil }
        var trial = self
        for more in 1...10 {
            trial.evaluate(last)
            guard trial.verdict != verdict, let toward = trial.verdict else { continue }
            let order: [TargetState] = [.up, .degraded, .down]
            let isWorse =
                (order.firstIndex(of: toward) ?? 0) > (verdict.flatMap { order.firstIndex(of: $0) } ?? -1)
            let of = isWorse ? settings.fall : settings.rise
            return PendingVerdict(toward: toward, count: of - more, of: of)
        }
        return nil
    }

    var nextInterval: Duration? {
        guard mayProbe else { return nil }
        if pending != nil { return settings.confirmInterval }
        var wait = settings.interval
        guard verdict == .down else { return wait }
        for _ in sinceDown.reversed().prefix(while: { $0 == .failure }) {
            wait = min(wait * settings.backoffFactor, settings.maximumInterval)
        }
        return wait
    }

    private mutating func set(_ hold: String, _ isOn: Bool) {
        if isOn { holds.insert(hold) } else { holds.remove(hold) }
    }

    private mutating func forget() {
        results = []
        sinceDown = []
        previous = nil
    }

    private func last(_ count: Int, are kinds: ProbeOutcome...) -> Bool {
        results.count >= count && results.suffix(count).allSatisfy { kinds.contains($0) }
    }

    private mutating func take(_ result: ProbeOutcome, _ reason: Int?) {
        if result == .failure { lastReasons[.down] = reason }
        if result == .degraded { lastReasons[.degraded] = reason }
        flap(result)
        evaluate(result)
    }

    private mutating func evaluate(_ result: ProbeOutcome) {
        results.append(result)
        if results.count > 40 { results.removeFirst(20) }
        let before = verdict
        switch verdict {
        case .up:
            if last(settings.fall, are: .failure) {
                verdict = .down
            } else if last(settings.fall, are: .failure, .degraded) {
                verdict = .degraded
            }
        case .degraded:
            if last(settings.fall, are: .failure) { verdict = .down }
            if last(settings.rise, are: .success) { verdict = .up }
        case .down:
            if last(settings.rise, are: .success) {
                verdict = .up
            } else if last(settings.rise, are: .success, .degraded) {
                verdict = .degraded
            }
        default:
            if result == .success { verdict = .up }
            if result == .degraded { verdict = .degraded }
            if last(settings.fall, are: .failure) { verdict = .down }
        }
        sinceDown = before == .down && verdict == .down ? sinceDown.suffix(100) + [result] : []
    }

    /// Nagios's words: the weights go evenly from 0.8 to 1.2; here times 5(n−1), to have whole numbers.
    private mutating func flap(_ result: ProbeOutcome) {
        guard let flap = settings.flapDetection else { return }
        changes.append(previous != nil && previous != result)
        previous = result
        if changes.count > flap.window { changes.removeFirst() }
        let missing = flap.window - changes.count
        var sum = 0
        for place in changes.indices where changes[place] { sum += 4 * (flap.window - 1) + 2 * (missing + place) }
        let whole = 5 * (flap.window - 1) * flap.window
        if sum * 100 >= flap.highPercent * whole { isFlapping = true }
        if sum * 100 < flap.lowPercent * whole { isFlapping = false }
    }
}
