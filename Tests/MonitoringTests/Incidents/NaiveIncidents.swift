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

        var isOpen: Bool { parts.contains(where: \.isOpen) }
        var end: Timestamp? { isOpen ? nil : parts.compactMap { $0.intervals.last?.until }.max() }
    }

    var cases: [Case] = []
    private var turn = 0

    mutating func take(_ target: String, _ condition: IncidentObservation.Condition, at now: Timestamp) {
        switch condition {
        case .unjudged: return
        case .up, .leaving: leave(target, at: now) { _ in true }
        case .failing(let cause, let distance, _):
            turn += 1
            let place = place(of: target, cause, distance, at: now)
            join(target, place, distance, cause.kind.isInferred, at: now)
            leave(target, at: now, except: place) { part in
                part.distance < distance || Self.isRefuted(part, by: cause, distance)
            }
        }
    }

    private static func isRefuted(_ part: Part, by cause: IncidentCause, _ distance: FaultDistance) -> Bool {
        part.isInferred && cause.kind.isInferred && [part.distance, distance].contains(.route)
    }

    private func newest(
        of target: String,
        among places: [Int]? = nil,
        where holds: (Part) -> Bool = { _ in true }
    ) -> Int? {
        (places ?? Array(cases.indices)).compactMap { place in
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
        let refuted = cases.indices.filter { place in
            let open = cases[place].parts.filter { $0.isOpen && ($0.target == target || $0.distance != .parent) }
            guard let own = open.first(where: { $0.target == target }) else { return false }
            return (cause.place == .path || open.count == 1) && Self.isRefuted(own, by: cause, distance)
        }
        if let place = newest(of: target, among: refuted) {
            for other in cases.indices { cases[other].causes.removeAll { $0 == cause } }
            (cases[place].cause, cases[place].causes) = (cause, [cause])
            return place
        }
        if let known, let end = cases[known].end,
            now.milliseconds - end.milliseconds <= IncidentBook.reopeningTime
        {
            (cases[known].cause, cases[known].causes) = (cause, [cause])
            return known
        }
        for place in cases.indices { cases[place].causes.removeAll { $0 == cause } }
        cases.append(Case(cause: cause, causes: [cause], parts: []))
        return cases.count - 1
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
        if isFirst { cases[place].parts[part].intervals.append((now, nil)) }
        cases[place].parts[part].isInferred = isInferred && (isFirst || cases[place].parts[part].isInferred)
        cases[place].parts[part].distance = distance
        cases[place].parts[part].turn = turn
    }

    private mutating func leave(
        _ target: String,
        at now: Timestamp,
        except place: Int? = nil,
        where holds: (Part) -> Bool
    ) {
        for index in cases.indices where index != place {
            for part in cases[index].parts.indices
            where cases[index].parts[part].target == target && cases[index].parts[part].isOpen
                && holds(cases[index].parts[part])
            {
                cases[index].parts[part].intervals[cases[index].parts[part].intervals.count - 1].until = now
            }
        }
    }
}
