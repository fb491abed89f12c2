// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import Synchronization

/// The fleet's incidents as they were read from the database last: receivers decide without waiting for it. Any thread.
///
/// It may be ahead of the log that receivers read, and never behind it: what an event tells of is read before a receiver takes the event.
/// Closed incidents stay for a day, for receivers that are away.
final class FleetIncidentCopy: IncidentSource {
    fileprivate struct State {
        var incidents: [String: ReceiverIncident] = [:]
        /// The open incidents in which each target fails.
        var failing: [String: Set<String>] = [:]
    }

    /// How long a closed incident stays, in milliseconds, and how many do at most.
    private static let closedTime: Int64 = 86_400_000
    private static let closedLimit = 2_000

    private let state = Mutex(State())

    /// What is to be read again: incidents that an event tells of, or with a target whose declaration is another.
    ///
    /// - Parameters:
    ///   - ids: of incidents.
    ///   - targets: ids of targets.
    func selection(_ ids: some Sequence<String>, targets: some Sequence<String>) -> ReceiverIncident.Selection {
        state.withLock { state in
            ReceiverIncident.Selection(targets.reduce(into: Set(ids)) { $0.formUnion(state.failing[$1] ?? []) })
        }
    }

    /// What may have changed since: all that are open, or were.
    ///
    /// - Parameters:
    ///   - ids: of incidents besides.
    ///   - moment: those that were closed at this time or later are read, too; nil: not.
    func wholeSelection(_ ids: some Sequence<String>, since moment: Timestamp? = nil) -> ReceiverIncident.Selection {
        state.withLock { state in
            let open = state.incidents.values.filter(\.incident.isOpen).map(\.incident.id)
            return ReceiverIncident.Selection(Set(ids).union(open), hasOpen: true, since: moment)
        }
    }

    /// Takes what was read of a selection; those of it that were not found are not kept any more.
    func take(_ found: [ReceiverIncident], of selection: ReceiverIncident.Selection) {
        state.withLock { state in
            for id in selection.ids { state.remove(id) }
            for incident in found { state.insert(incident) }
            state.trim(Self.closedTime, Self.closedLimit)
        }
    }

    /// Forgets everything: the log is another one.
    func forget() { state.withLock { $0 = State() } }

    // MARK: IncidentSource

    func incident(_ id: String, membersFrom position: Int, limit: Int) -> IncidentDetails? {
        guard let found = whole(id) else { return nil }
        return IncidentDetails(
            incident: found.incident,
            members: found.members.dropFirst(position).prefix(limit).map(\.member),
            next: nil
        )
    }

    func incidents(_ query: IncidentQuery) -> IncidentPage {
        let all = state.withLock { Array($0.incidents.values) }.map(\.incident).filter { incident in
            (query.isOpen ?? incident.isOpen) == incident.isOpen
                && (query.since.map { incident.closedAt ?? $0 >= $0 } ?? true)
        }
        return IncidentPage(
            incidents: all.sorted { $0.number > $1.number },
            openCount: all.count(where: \.isOpen),
            next: nil
        )
    }

    func incidents(of target: String) -> [String] { state.withLock { $0.failing[target] ?? [] }.sorted() }

    /// An incident and its members with their targets; nil for one that is not kept.
    func whole(_ id: String) -> ReceiverIncident? { state.withLock { $0.incidents[id] } }
}

extension FleetIncidentCopy.State {
    fileprivate mutating func remove(_ id: String) {
        guard let old = incidents.removeValue(forKey: id) else { return }
        for member in old.members where member.member.until == nil {
            failing[member.member.target]?.remove(id)
            if failing[member.member.target]?.isEmpty == true { failing[member.member.target] = nil }
        }
    }

    fileprivate mutating func insert(_ new: ReceiverIncident) {
        let id = new.incident.id
        remove(id)
        incidents[id] = new
        for member in new.members where member.member.until == nil {
            failing[member.member.target, default: []].insert(id)
        }
    }

    /// Forgets incidents that were closed long before the last one, and the oldest of too many.
    fileprivate mutating func trim(_ time: Int64, _ limit: Int) {
        let closed = incidents.values.compactMap { entry in
            entry.incident.closedAt.map { (at: $0.milliseconds, id: entry.incident.id) }
        }
        guard let newest = closed.map(\.at).max() else { return }
        var stale = closed.filter { $0.at < newest - time }
        if closed.count - stale.count > limit {
            stale = Array(closed.sorted { $0.at < $1.at }.prefix(closed.count - limit))
        }
        for entry in stale { incidents[entry.id] = nil }
    }
}
