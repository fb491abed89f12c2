// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths

extension PublicSnapshot {
    /// Targets on the page at most.
    static let maximumServices = 500
    /// Incidents on the page at most, and how long closed ones are shown, in milliseconds.
    private static let maximumIncidents = 50
    private static let memory: Int64 = 14 * 86_400_000
    /// Members of incidents that are looked at, in all; and how many are read at a time.
    private static let maximumMembers = 200_000
    private static let membersAtOnce = 5_000
    /// How long before a maintenance is announced, in milliseconds, and how many there are at most.
    private static let foresight: Int64 = 7 * 86_400_000
    private static let maximumMaintenance = 20

    /// Reads what the page shows. Any thread; costs a look at all targets.
    ///
    /// - Parameters:
    ///   - bars: the days of targets by their ids.
    ///   - now: the time.
    init(_ settings: PublicPageSettings, _ registry: Registry, bars: [String: PublicBars], now: Timestamp) {
        self.settings = settings
        let network = registry.overview.network
        let isOffline = network.path?.reachability == .notReachable
        let records = Self.records(registry, settings.groups)
        let names = Self.names(records.flatMap(\.records))
        var left = Self.maximumServices
        let unseen = records.flatMap(\.records).filter { Self.isUnseen($0, isOffline: isOffline) }
        blindSince = isOffline ? network.since : unseen.map(\.since).min()
        for (group, records) in records {
            let services = records.prefix(left).compactMap { record -> Service? in
                guard let id = record.target?.settings.id, let name = names[id] else { return nil }
                return Service(name: name, state: state(of: record, isOffline), bars: bars[id])
            }
            left -= services.count
            hidden += records.count - services.count
            states.formUnion(records.map { state(of: $0, isOffline) })
            if !records.isEmpty { groups.append(Group(name: group, services: services)) }
        }
        incidents = Self.incidents(registry, settings.groups, names, now)
        maintenance = Self.maintenance(records, names, now)
    }

    /// Whether a service cannot be reached because of the machine that watches it.
    private static func isUnseen(_ record: StatusRecord, isOffline: Bool) -> Bool {
        record.state == .unreachable && (isOffline || record.reason?.cause == .localNetwork)
    }

    /// The state of a service: unknown where the fault is that of the machine that watches it.
    private func state(of record: StatusRecord, _ isOffline: Bool) -> TargetState {
        Self.isUnseen(record, isOffline: isOffline) ? .unknown : record.state
    }

    /// The targets of groups, in the groups' order; in each as they were declared. Any thread.
    static func records(_ registry: Registry, _ groups: [String]) -> [(group: String, records: [StatusRecord])] {
        let wanted = Set(groups)
        var found: [String: [StatusRecord]] = [:]
        var ordinal: UInt64 = 0
        while true {
            let page = registry.page(after: ordinal, limit: 10_000)
            for record in page.records {
                if let group = record.target?.settings.group, wanted.contains(group) {
                    found[group, default: []].append(record)
                }
            }
            guard !page.isLast, let last = page.records.last?.target?.ordinal, last > ordinal else { break }
            ordinal = last
        }
        return groups.map { ($0, found[$0] ?? []) }
    }

    /// What the page calls targets, by their ids: their names, unless these hold the address that is monitored.
    private static func names(_ records: [StatusRecord]) -> [String: String] {
        var names: [String: String] = [:]
        for (number, record) in records.enumerated() {
            guard let target = record.target?.settings else { continue }
            let name = target.name ?? target.id
            names[target.id] = holdsAddress(name, of: record) ? "Service \(number + 1)" : name
        }
        return names
    }

    private static func holdsAddress(_ name: String, of record: StatusRecord) -> Bool {
        let text = name.lowercased()
        let declared = (record.target?.settings.text).map { [$0.lowercased()] } ?? []
        // A name without a dot or a colon leads nowhere from outside.
        let places = declared.filter { $0.contains(".") || $0.contains(":") }
        return places.contains { text.contains($0) } || Self.hasAddress(text)
    }

    /// Whether a word of a text is an IP address, with or without a port.
    private static func hasAddress(_ text: String) -> Bool {
        text.split { !($0.isHexDigit || $0 == "." || $0 == ":") }.contains { word in
            let parts = word.split(separator: ".", omittingEmptySubsequences: false)
            let isFour = parts.count >= 4 && parts.prefix(4).allSatisfy { UInt8($0.prefix { $0 != ":" }) != nil }
            return isFour || word.filter { $0 == ":" }.count >= 2
        }
    }

    // MARK: Incidents

    private static func incidents(
        _ registry: Registry,
        _ groups: [String],
        _ names: [String: String],
        _ now: Timestamp
    ) -> [Incident] {
        var query = IncidentQuery()
        query.groups = Set(groups)
        let oldest = Timestamp(milliseconds: now.milliseconds - memory)
        query.since = oldest
        query.limit = maximumIncidents
        var left = maximumMembers
        let incidents = registry.incidents(query).incidents.compactMap { incident -> Incident? in
            // What other members do, and how long, is not for the public.
            let members = members(of: incident.id, registry, query.groups, &left)
            let failing = members.filter { $0.until == nil }
            let closedAt = failing.isEmpty ? members.compactMap(\.until).max() : nil
            if let closedAt, closedAt < oldest { return nil }
            guard !members.isEmpty else { return nil }
            let notes = incident.notes.filter(\.isPublic).reversed()
            // A fault of the machine that watches is not one of the services, unless a person says something about it.
            guard incident.cause.place != .localNetwork || !notes.isEmpty else { return nil }
            let present = members.filter(incident.concerns)
            let begunAt = (present.isEmpty ? members : present).map(\.from).min()
            return Incident(
                id: incident.id,
                title: title(failing.isEmpty ? members : failing, groups, names),
                openedAt: members.map(\.first).min() ?? incident.openedAt,
                begunAt: begunAt ?? incident.begunAt,
                closedAt: closedAt,
                announcements: notes.map { Incident.Announcement(text: $0.text, at: $0.at) }
            )
        }
        // The registry's order has those first of which any member fails.
        return incidents.sorted { ($0.begunAt, $0.id) > ($1.begunAt, $1.id) }
    }

    /// The members of an incident that are of the groups.
    ///
    /// - Parameter left: how many members may still be looked at.
    private static func members(
        of id: String,
        _ registry: Registry,
        _ groups: Set<String>,
        _ left: inout Int
    ) -> [IncidentMember] {
        var found: [IncidentMember] = []
        var position: Int? = 0
        while let start = position, left > 0,
            let details = registry.incident(id, membersFrom: start, limit: min(left, membersAtOnce))
        {
            found += details.members.filter { $0.group.map(groups.contains) ?? false }
            left -= details.members.count
            position = details.next
        }
        return found
    }

    /// `3 services of Web: down`, `Shop: down`: an incident's title without its cause, which may hold an address.
    private static func title(_ members: [IncidentMember], _ groups: [String], _ names: [String: String]) -> String {
        let states = Set(members.map(\.state))
        let words = states.contains(.down) ? "down" : states.contains(.unreachable) ? "not reachable" : "degraded"
        if members.count == 1, let name = names[members[0].target] { return "\(name): \(words)" }
        let affected = groups.filter { group in members.contains { $0.group == group } }
        let place = affected.count <= 3 ? affected.joined(separator: ", ") : "\(affected.count) groups"
        return "\(members.count) \(members.count == 1 ? "service" : "services") of \(place): \(words)"
    }

    // MARK: Maintenance

    private static func maintenance(
        _ records: [(group: String, records: [StatusRecord])],
        _ names: [String: String],
        _ now: Timestamp
    ) -> [Maintenance] {
        struct Key: Hashable {
            let group: String
            let from: Int64?
            let to: Int64
        }
        var found: [Key: [String]] = [:]
        let time = now.milliseconds
        for (group, records) in records {
            for target in records.compactMap({ $0.target?.settings }) {
                for window in target.maintenance {
                    let isOn = window.isActive(at: time)
                    guard let change = window.nextChange(after: time) else { continue }
                    guard isOn || change - time <= foresight, let end = isOn ? change : window.nextChange(after: change)
                    else { continue }
                    found[Key(group: group, from: isOn ? nil : change, to: end), default: []]
                        .append(names[target.id] ?? "")
                }
            }
        }
        let all = found.map { key, services in
            Maintenance(
                group: key.group,
                services: services.filter { !$0.isEmpty },
                from: key.from.map(Timestamp.init(milliseconds:)),
                to: Timestamp(milliseconds: key.to)
            )
        }
        let sorted = all.sorted {
            ($0.from?.milliseconds ?? 0, $0.to.milliseconds, $0.group) < (
                $1.from?.milliseconds ?? 0, $1.to.milliseconds, $1.group
            )
        }
        return Array(sorted.prefix(maximumMaintenance))
    }
}
