// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

@testable import Monitoring

/// The rules of ``IncidentBook`` without an index: everything is looked for in lists.
struct NaiveIncidents {
    struct Part {
        let target: String
        var distance: FaultDistance
        var intervals: [(from: Timestamp, until: Timestamp?)]
        /// When the newest verdict placed the target here, by a counter.
        var turn: Int

        var isOpen: Bool { intervals.last.map { $0.until == nil } ?? false }
    }

    struct Case {
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
            join(target, place, distance, at: now)
            leave(target, at: now, except: place) { $0.distance < distance }
        }
    }

    private func newest(of target: String, where holds: (Part) -> Bool = { _ in true }) -> Int? {
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
        if cause.kind != .parent, let own = newest(of: target, where: { $0.distance == distance }) {
            if cases[own].causes.count <= IncidentBook.maximumCauses {
                for place in cases.indices { cases[place].causes.removeAll { $0 == cause } }
                cases[own].causes.append(cause)
            }
            return own
        }
        if let known, let end = cases[known].end,
            now.milliseconds - end.milliseconds <= IncidentBook.reopeningTime
        {
            return known
        }
        for place in cases.indices { cases[place].causes.removeAll { $0 == cause } }
        cases.append(Case(causes: [cause], parts: []))
        return cases.count - 1
    }

    private mutating func join(_ target: String, _ place: Int, _ distance: FaultDistance, at now: Timestamp) {
        guard let part = cases[place].parts.firstIndex(where: { $0.target == target }) else {
            cases[place].parts.append(
                Part(target: target, distance: distance, intervals: [(now, nil)], turn: turn)
            )
            return
        }
        if !cases[place].parts[part].isOpen { cases[place].parts[part].intervals.append((now, nil)) }
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
