// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

@testable import Monitoring

/// The rules of ``IncidentBook`` without an index: everything is looked for in lists.
struct NaiveIncidents {
    struct Part {
        let target: String
        var distance: FaultDistance
        /// Whether all causes since it joined were inferred.
        var isInferred: Bool
        var intervals: [(from: Timestamp, until: Timestamp?)]
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
        /// Of one that was opened in this step: that whose cause was refuted.
        var predecessor: Int?
        var isNew = true

        /// Whether no part fails by itself, and none recovered in this outage.
        var isLeft: Bool {
            parts.allSatisfy { part in
                part.isOpen
                    ? part.distance == .parent
                    : part.end != .recovered || part.intervals.last.map { $0.from < begunAt } == true
            }
        }
        var total: Int { parts.count { $0.isOpen || $0.intervals.contains { $0.from >= begunAt } } }
        var isOpen: Bool { parts.contains(where: \.isOpen) }
        var end: Timestamp? { isOpen ? nil : parts.compactMap { $0.intervals.last?.until }.max() }
    }

    var cases: [Case] = []
    private var turn = 0

    mutating func take(_ target: String, _ condition: IncidentObservation.Condition, at now: Timestamp) {
        switch condition {
        case .unjudged: return
        case .up: leave(target, at: now) { _ in .recovered }
        case .leaving(let end): leave(target, at: now) { _ in end }
        case .failing(let cause, let distance, _):
            turn += 1
            let place = place(of: target, cause, distance, at: now)
            join(target, place, distance, cause.kind.isInferred, at: now)
            leave(target, at: now, except: place) { part in
                Self.isRefuted(part, by: cause, distance) ? .corrected : part.distance < distance ? .otherCause : nil
            }
        }
    }

    private static func isRefuted(_ part: Part, by cause: IncidentCause, _ distance: FaultDistance) -> Bool {
        part.isInferred && cause.kind.isInferred && ![part.distance, distance].allSatisfy { $0 == .target }
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
        at now: Timestamp
    ) -> Int {
        if cause.kind == .parent, let place = newest(of: cause.subject) { return place }
        // The newest incident with a cause has it from then on.
        let known = cases.indices.last { cases[$0].causes.contains(cause) }
        if let known, cases[known].isOpen { return known }
        let isSame = { (part: Part) in part.distance == distance && !Self.isRefuted(part, by: cause, distance) }
        if cause.kind != .parent, let own = newest(of: target, where: isSame) {
            if cases[own].causes.count <= IncidentBook.maximumCauses {
                for place in cases.indices { cases[place].causes.removeAll { $0 == cause } }
                cases[own].causes.append(cause)
            }
            return own
        }
        let refuted = newest(of: target) { Self.isRefuted($0, by: cause, distance) }
        if let known, let end = cases[known].end,
            now.milliseconds - end.milliseconds <= IncidentBook.reopeningTime,
            refuted.map({ !without(target, cases[$0]).isLeft }) ?? true
        {
            (cases[known].cause, cases[known].causes, cases[known].begunAt) = (cause, [cause], now)
            return known
        }
        for place in cases.indices { cases[place].causes.removeAll { $0 == cause } }
        cases.append(Case(cause: cause, causes: [cause], parts: [], begunAt: now, predecessor: refuted))
        return cases.count - 1
    }

    private func without(_ target: String, _ incident: Case) -> Case {
        var rest = incident
        rest.parts.removeAll { $0.target == target }
        return rest
    }

    /// Ends a step: what all left for one new incident takes its place.
    mutating func settle() {
        for place in cases.indices.reversed() where cases[place].isNew {
            guard let old = cases[place].predecessor, cases[place].isOpen, cases[old].isLeft else { continue }
            let left = cases[old].parts.filter { $0.hasLeft && $0.end == .corrected }.map(\.target)
            guard Set(left).isSubset(of: cases[place].parts.filter(\.isOpen).map(\.target)) else { continue }
            let new = cases.remove(at: place)
            (cases[old].cause, cases[old].causes) = (new.cause, new.causes)
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
        let isSameTurn = old.isOpen || old.hasLeft && old.end == .corrected
        moved.intervals = isSameTurn ? old.intervals : old.intervals + [(part.intervals[0].from, nil)]
        moved.intervals[moved.intervals.count - 1].until = part.intervals.last?.until
        cases[place].parts[known] = moved
    }

    private mutating func join(
        _ target: String,
        _ place: Int,
        _ distance: FaultDistance,
        _ isInferred: Bool,
        at now: Timestamp
    ) {
        guard let part = cases[place].parts.firstIndex(where: { $0.target == target }) else {
            cases[place].parts.append(
                Part(
                    target: target,
                    distance: distance,
                    isInferred: isInferred,
                    intervals: [(now, nil)],
                    turn: turn
                )
            )
            return
        }
        let isFirst = !cases[place].parts[part].isOpen
        if isFirst {
            cases[place].parts[part].intervals.append((now, nil))
            cases[place].parts[part].end = nil
        }
        cases[place].parts[part].isInferred = isInferred && (isFirst || cases[place].parts[part].isInferred)
        cases[place].parts[part].distance = distance
        cases[place].parts[part].turn = turn
    }

    private mutating func leave(
        _ target: String,
        at now: Timestamp,
        except place: Int? = nil,
        why end: (Part) -> IncidentMember.End?
    ) {
        for index in cases.indices where index != place {
            for part in cases[index].parts.indices
            where cases[index].parts[part].target == target && cases[index].parts[part].isOpen {
                guard let end = end(cases[index].parts[part]) else { continue }
                (cases[index].parts[part].end, cases[index].parts[part].hasLeft) = (end, true)
                cases[index].parts[part].intervals[cases[index].parts[part].intervals.count - 1].until = now
            }
        }
    }
}
