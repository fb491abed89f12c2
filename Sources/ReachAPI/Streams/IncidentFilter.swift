// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import Synchronization

/// Which `incident` events a stream with a filter includes: those of incidents that have, or had, a target that the filter matches.
///
/// Streams with equal queries share it. The targets of an incident are read once; after that only those that join it are looked at, so that
/// the events of an incident with many targets cost no more than others. Any thread.
final class IncidentFilter: Sendable {
    /// What a look at the first members of an incident showed.
    private struct Known {
        let isIncluded: Bool
        /// How many members the incident had then.
        let total: Int
    }

    /// A member as an event names it.
    private struct Member {
        let target: String
        let group: String?
    }

    /// What an event says of an incident.
    private struct Subject {
        let id: String
        /// How many members it has had.
        let total: Int
        /// Members that joined; nil if the event does not name all of them.
        let joined: [Member]?
        /// All that the event names.
        let named: [Member]

        init?(_ event: RecordedEvent) {
            if let change = event.incident {
                (id, total) = (change.incident.id, change.incident.counts.total)
                let joined = change.joined.map { Member(target: $0.target, group: $0.group) }
                self.joined = joined
                named = joined + (change.left + change.changed).map { Member(target: $0.target, group: $0.group) }
                return
            }
            // An event of an earlier run, or one that memory does not have any more.
            guard let data = try? JSONValue(reading: event.data), let incident = data.member("incident"),
                case .string(let id)? = incident.member("id"),
                case .number(let total)? = incident.member("targets")?.member("total")
            else { return nil }
            self.id = id
            self.total = Int(total) ?? 0
            joined = nil
            named = ["joined", "left", "changed"].flatMap { list -> [Member] in
                guard case .array(let members)? = data.member(list) else { return [] }
                return members.compactMap { member in
                    guard case .string(let target)? = member.member("target") else { return nil }
                    guard case .string(let group)? = member.member("group") else {
                        return Member(target: target, group: nil)
                    }
                    return Member(target: target, group: group)
                }
            }
        }
    }

    /// Incidents that are remembered at most.
    private static let maximumKnown = 4_096
    /// How many members are read at once.
    private static let membersAtOnce = 5_000

    private let filter: TargetFilter
    private let registry: Registry?
    private let known = Mutex<[String: Known]>([:])

    /// - Parameters:
    ///   - filter: of ids, groups and tags.
    ///   - registry: has the incidents; nil where events alone name their targets.
    init(_ filter: TargetFilter, registry: Registry?) {
        self.filter = filter
        self.registry = registry
    }

    /// Whether the event of an incident is included.
    func includes(_ event: RecordedEvent) -> Bool {
        guard !filter.isEmpty else { return true }
        guard let subject = Subject(event) else { return false }
        if let known = known.withLock({ $0[subject.id] }) {
            // What never matched among more members did not among fewer.
            if known.isIncluded || subject.total <= known.total { return known.isIncluded }
            if let joined = subject.joined, subject.total <= known.total + joined.count {
                return remember(subject.id, Known(isIncluded: joined.contains(where: matches), total: subject.total))
            }
        }
        let isNamed = subject.named.contains(where: matches)
        return remember(
            subject.id,
            isNamed
                ? Known(isIncluded: true, total: subject.total)
                : members(of: subject.id) ?? Known(isIncluded: false, total: subject.total)
        )
    }

    private func remember(_ id: String, _ found: Known) -> Bool {
        known.withLock { known in
            if known.count >= Self.maximumKnown { known = [:] }
            known[id] = found
        }
        return found.isIncluded
    }

    /// Looks at the members of an incident until one matches; nil for an incident that is not kept.
    private func members(of id: String) -> Known? {
        var position: Int? = 0
        var total: Int?
        while let start = position,
            let details = registry?.incident(id, membersFrom: start, limit: Self.membersAtOnce)
        {
            total = details.incident.counts.total
            let isFound = details.members.contains { matches(Member(target: $0.target, group: $0.group)) }
            if isFound { return Known(isIncluded: true, total: details.incident.counts.total) }
            position = details.next
        }
        return total.map { Known(isIncluded: false, total: $0) }
    }

    private func matches(_ member: Member) -> Bool {
        guard filter.ids.isEmpty || filter.ids.contains(member.target),
            filter.groups.isEmpty || member.group.map(filter.groups.contains) ?? false
        else { return false }
        // Members have no tags: those of now count.
        guard !filter.tags.isEmpty else { return true }
        let tags = registry?.target(member.target)?.target?.settings.tags ?? [:]
        return filter.tags.allSatisfy { tags[$0.name] == $0.value }
    }
}
