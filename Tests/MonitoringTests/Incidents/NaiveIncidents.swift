// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis

@testable import Monitoring

/// The rules of ``IncidentBook`` without an index: everything is looked for in lists.
struct NaiveIncidents {
    struct Part {
        let target: String
        var distance: FaultDistance
        /// Whether all causes since it joined were inferred.
        var isInferred: Bool
        var intervals: [(from: Timestamp, until: Timestamp?)]
        /// When a probe failed for it that the target joined with.
        var failedAt: UInt64?
        /// When the failures began that its newest verdict speaks of.
        var failingSince: UInt64?
        /// Why the last interval ended, and whether that was in this step.
        var end: IncidentMember.End?
        var hasLeft = false
        /// When the newest verdict placed the target here, by a counter.
        var turn: Int

        var isOpen: Bool { intervals.last.map { $0.until == nil } ?? false }
    }

    struct Case {
        /// The cause of its title.
        var cause: IncidentCause
        /// The causes by which others find it.
        var causes: [IncidentCause]
        var parts: [Part]
        var begunAt: Timestamp
        /// When the element at fault worked last, as far as a member showed it.
        var workedAt: UInt64 = 0
        /// Of one that was opened in this step: that whose cause was refuted.
        var predecessor: Int?
        /// That in which its first target stayed.
        var hidden: Int?
        var isNew = true

        /// Whether a part recovered in this outage.
        var hasRecovery: Bool {
            parts.contains { part in
                !part.isOpen && part.end == .recovered && part.intervals.last.map { $0.from >= begunAt } == true
            }
        }
        /// Whether no part fails by itself, and none recovered.
        var isLeft: Bool { !hasRecovery && parts.allSatisfy { !$0.isOpen || $0.distance == .parent } }
        var total: Int { parts.count { $0.isOpen || $0.intervals.contains { $0.from >= begunAt } } }
        var isOpen: Bool { parts.contains(where: \.isOpen) }
        var end: Timestamp? { isOpen ? nil : parts.compactMap { $0.intervals.last?.until }.max() }
    }

    var cases: [Case] = []
    private var turn = 0
    /// Who fails because of whom.
    private var parents: [String: String] = [:]

    mutating func take(
        _ target: String,
        _ condition: IncidentObservation.Condition,
        onset: FaultOnset?,
        at now: Timestamp
    ) {
        switch condition {
        case .unjudged: return
        case .up, .leaving:
            parents[target] = nil
            leave(target, at: now) { _, _ in if case .leaving(let end) = condition { end } else { .recovered } }
        case .failing(let cause, let distance, _):
            parents[target] = cause.kind == .parent ? cause.subject : nil
            fail(target, cause, distance, onset, at: now)
        }
    }

    private mutating func fail(
        _ target: String,
        _ cause: IncidentCause,
        _ distance: FaultDistance,
        _ onset: FaultOnset?,
        at now: Timestamp
    ) {
        turn += 1
        let place = place(of: target, cause, distance, onset, at: now)
        join(target, place, distance, cause.kind.isInferred, onset, at: now)
        if cause.kind.isInferred, let onset { cases[place].workedAt = max(cases[place].workedAt, onset.workedAt) }
        let workedAt = cases[place].workedAt
        let parent = cause.kind == .parent ? cause.subject : nil
        let led = parent.map { parent in cases.indices.filter { has(parent, cases[$0]) } } ?? []
        leave(target, at: now, except: place) { index, part in
            Self.isRefuted(part, by: cause, distance, onset, workedAt)
                || !led.isEmpty && part.distance == .parent && !led.contains(index)
                ? .corrected : part.distance < distance ? .otherCause : nil
        }
        for child in parents.filter({ $0.value == target }).keys.sorted() {
            fail(child, IncidentCause(.parent, target), .parent, nil, at: now)
        }
    }

    private func has(_ target: String, _ incident: Case) -> Bool {
        incident.parts.contains { $0.target == target && $0.isOpen }
    }

    /// A restart forgets why targets fail, until their next verdicts.
    mutating func restart() { parents = [:] }

    private static func isUnlike(_ part: Part, _ cause: IncidentCause, _ distance: FaultDistance) -> Bool {
        part.isInferred && cause.kind.isInferred && ![part.distance, distance].allSatisfy { $0 == .target }
    }

    private static func isRefuted(
        _ part: Part,
        by cause: IncidentCause,
        _ distance: FaultDistance,
        _ onset: FaultOnset?,
        _ workedAt: UInt64
    ) -> Bool {
        let isOver = part.distance == .route && onset?.failingSince ?? 0 > part.failingSince ?? .max
        return isUnlike(part, cause, distance) && (isOver || workedAt <= part.failedAt ?? .max)
    }

    private func newest(
        of target: String,
        where holds: (Part) -> Bool = { _ in true }
    ) -> Int? {
        cases.indices.compactMap { place in
            cases[place].parts.first { $0.target == target && $0.isOpen && holds($0) }.map { (place, $0.turn) }
        }.max { $0.1 < $1.1 }?.0
    }

    private mutating func place(
        of target: String,
        _ cause: IncidentCause,
        _ distance: FaultDistance,
        _ onset: FaultOnset?,
        at now: Timestamp
    ) -> Int {
        if cause.kind == .parent, let place = newest(of: cause.subject) { return place }
        // The newest incident with a cause has it from then on.
        let known = cases.indices.last { cases[$0].causes.contains(cause) }
        if let known, cases[known].isOpen { return known }
        for witness in cause.otherWitnesses(at: distance) {
            guard let other = cases.indices.last(where: { cases[$0].causes.contains(witness) }), cases[other].isOpen,
                witness.kind != .gateway || isOnTheWay(cases[other]) == (distance == .route)
            else { continue }
            take(over: cause, other)
            if cause.kind == .gateway || cause.kind == .router, cases[other].cause == witness {
                cases[other].cause = cause
            }
            return other
        }
        let isSame = { (part: Part) in part.distance == distance && !Self.isUnlike(part, cause, distance) }
        if cause.kind != .parent, let own = newest(of: target, where: isSame) {
            take(over: cause, own)
            return own
        }
        let refuted = newest(of: target) { Self.isRefuted($0, by: cause, distance, onset, onset?.workedAt ?? 0) }
        if let known, let end = cases[known].end, cases[known].cause.kind != .gateway || cause.kind != .silence,
            now.milliseconds - end.milliseconds <= IncidentBook.reopeningTime,
            refuted.map({ !without(target, cases[$0]).isLeft }) ?? true
        {
            (cases[known].cause, cases[known].causes, cases[known].begunAt) = (cause, [cause], now)
            cases[known].workedAt = 0
            return known
        }
        for place in cases.indices { cases[place].causes.removeAll { $0 == cause } }
        let hidden = refuted == nil ? newest(of: target) { Self.isUnlike($0, cause, distance) } : nil
        cases.append(
            Case(cause: cause, causes: [cause], parts: [], begunAt: now, predecessor: refuted, hidden: hidden)
        )
        return cases.count - 1
    }

    private func isOnTheWay(_ incident: Case) -> Bool {
        incident.cause.kind != .gateway || incident.parts.contains { $0.isOpen && $0.distance == .route }
    }

    private mutating func take(over cause: IncidentCause, _ number: Int) {
        guard cases[number].causes.count <= IncidentBook.maximumCauses else { return }
        for place in cases.indices { cases[place].causes.removeAll { $0 == cause } }
        cases[number].causes.append(cause)
    }

    private func without(_ target: String, _ incident: Case) -> Case {
        var rest = incident
        rest.parts.removeAll { $0.target == target }
        return rest
    }

    /// Ends a step: what all left for one new incident takes its place.
    mutating func settle() {
        for place in cases.indices.reversed() where cases[place].isNew {
            guard cases[place].isOpen, let old = cases[place].predecessor ?? cases[place].hidden else { continue }
            let failing = Set(cases[place].parts.filter(\.isOpen).map(\.target))
            if cases[place].hidden == nil {
                let left = cases[old].parts.filter { $0.hasLeft && $0.end == .corrected }.map(\.target)
                guard cases[old].isLeft, failing.isSuperset(of: left) else { continue }
            } else {
                let all = cases[old].parts.filter(\.isOpen)
                guard !cases[old].hasRecovery,
                    all.allSatisfy({ $0.distance == .parent || failing.contains($0.target) }),
                    Set(all.map(\.target)).isSuperset(of: cases[place].parts.map(\.target))
                else { continue }
            }
            let new = cases.remove(at: place)
            (cases[old].cause, cases[old].causes, cases[old].workedAt) = (new.cause, new.causes, new.workedAt)
            for part in new.parts { move(part, to: old) }
        }
        for place in cases.indices {
            cases[place].isNew = false
            for part in cases[place].parts.indices { cases[place].parts[part].hasLeft = false }
        }
    }

    private mutating func move(_ part: Part, to place: Int) {
        guard let known = cases[place].parts.firstIndex(where: { $0.target == part.target }) else {
            return cases[place].parts.append(part)
        }
        var moved = part
        let old = cases[place].parts[known]
        let isPresent = old.intervals.last.map { $0.from >= cases[place].begunAt } == true
        let isSameTurn = old.isOpen || isPresent && old.hasLeft && old.end == .corrected
        moved.intervals = isSameTurn ? old.intervals : old.intervals + [(part.intervals[0].from, nil)]
        moved.intervals[moved.intervals.count - 1].until = part.intervals.last?.until
        cases[place].parts[known] = moved
    }

    private mutating func join(
        _ target: String,
        _ place: Int,
        _ distance: FaultDistance,
        _ isInferred: Bool,
        _ onset: FaultOnset?,
        at now: Timestamp
    ) {
        guard let part = cases[place].parts.firstIndex(where: { $0.target == target }) else {
            cases[place].parts.append(
                Part(
                    target: target,
                    distance: distance,
                    isInferred: isInferred,
                    intervals: [(now, nil)],
                    failedAt: onset?.failedAt,
                    failingSince: onset?.failingSince,
                    turn: turn
                )
            )
            return
        }
        let isFirst = !cases[place].parts[part].isOpen
        if isFirst {
            let (old, begin) = (cases[place].parts[part], cases[place].begunAt)
            let isPresent = old.intervals.last.map { $0.from >= begin } == true
            if isPresent, old.hasLeft, old.end == .corrected {
                cases[place].parts[part].intervals[old.intervals.count - 1].until = nil
            } else {
                cases[place].parts[part].intervals.append((now, nil))
            }
            cases[place].parts[part].end = nil
        }
        if isFirst || cases[place].parts[part].failedAt == nil { cases[place].parts[part].failedAt = onset?.failedAt }
        if isFirst || onset != nil { cases[place].parts[part].failingSince = onset?.failingSince }
        cases[place].parts[part].isInferred = isInferred && (isFirst || cases[place].parts[part].isInferred)
        cases[place].parts[part].distance = distance
        cases[place].parts[part].turn = turn
    }

    private mutating func leave(
        _ target: String,
        at now: Timestamp,
        except place: Int? = nil,
        why end: (Int, Part) -> IncidentMember.End?
    ) {
        for index in cases.indices where index != place {
            for part in cases[index].parts.indices
            where cases[index].parts[part].target == target && cases[index].parts[part].isOpen {
                guard let end = end(index, cases[index].parts[part]) else { continue }
                (cases[index].parts[part].end, cases[index].parts[part].hasLeft) = (end, true)
                cases[index].parts[part].intervals[cases[index].parts[part].intervals.count - 1].until = now
            }
        }
    }
}
