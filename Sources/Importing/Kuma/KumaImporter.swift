// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Probing
import Schema

/// Converts what Uptime Kuma has configured: monitors to targets, notifications to receivers, maintenances and a status page.
///
/// The meaning of its columns follows its sources; what reachd cannot express is noted.
struct KumaImporter {
    private let tables: KumaTables
    private let groups: KumaGroups
    private let page: KumaStatusPage
    private let maintenances: [Int: [YAMLText]]
    private var receivers: KumaReceivers

    /// Adds what a database or a backup has.
    static func take(_ root: YAMLNode, _ draft: inout ImportDraft) {
        let tables = KumaTables(root)
        let page = KumaStatusPage(tables)
        var importer = Self(
            tables: tables,
            groups: KumaGroups(tables.monitors, page),
            page: page,
            maintenances: KumaMaintenance.windows(tables, &draft),
            receivers: KumaReceivers(tables.notifications)
        )
        for monitor in tables.monitors {
            if monitor.text("type") == "group" {
                importer.group(monitor, &draft)
            } else {
                draft.tally.find(.monitor)
                importer.monitor(monitor, &draft)
            }
        }
        importer.receivers.finish(at: root, &draft)
        page.finish(importer.receivers.audience.members, at: root, &draft)
        guard !tables.monitors.isEmpty else { return }
        draft.note(root, "the history, users and settings of Uptime Kuma itself are not carried over")
    }

    /// Notes what is lost of a group, which is the group of its targets and no target.
    private func group(_ monitor: KumaRow, _ draft: inout ImportDraft) {
        let title = NoteSubject(term: "the group", name: monitor.text("name") ?? "")
        let id = monitor.integer("id")
        draft.note(monitor.node, "\(title) is the group of its targets; it has no state of its own")
        guard let id else { return }
        if tables.notified[id]?.isEmpty == false {
            draft.lose(
                .setting,
                monitor.node,
                "\(title): its notifications are not carried over; targets have their own"
            )
        }
        if tables.tags[id] != nil { draft.lose(.setting, monitor.node, "\(title): its tags are not carried over") }
    }

    private mutating func monitor(_ monitor: KumaRow, _ draft: inout ImportDraft) {
        let name = URLCredentials.split(monitor.text("name") ?? "").url
        let title = NoteSubject(term: "the monitor", name: name.isEmpty ? "without a name" : name)
        var probe = ImportedProbe(title: title, name: name, node: monitor.node)
        guard let number = monitor.integer("id") ?? (monitor.columns.contains("id") ? nil : -1) else {
            return draft.leaveOut(monitor.node, "\(title) is left out: its id is not a number")
        }
        if !monitor.flag("active", default: true) { probe.pauses.append("it is paused") }
        if groups.isPaused(monitor) { probe.pauses.append("its group is paused") }
        var target: [(String, YAMLText)] = []
        guard KumaProbe.take(monitor, tables, &target, &probe, &draft) else { return }
        let hasLetters = name.contains { TextForm.isIdentifier(String($0)) }
        let id = draft.unique(hasLetters || number < 0 ? name : "monitor-\(number)")
        var pairs: [(String, YAMLText)] = [("id", .text(id))]
        if !name.isEmpty { pairs.append(("name", .text(DisplayText.line(name, limit: 256)))) }
        pairs += target
        let group = groups.name(of: monitor)
        if let group { pairs.append(("group", .text(group))) }
        let tags = tags(of: number, title, at: monitor, &draft)
        if !tags.isEmpty { pairs.append(("tags", .mapping(tags))) }
        pairs.append(("probe", probe.text))
        if let windows = maintenances[number] { pairs.append(("maintenance", .list(windows))) }
        if probe.type == "push" {
            draft.note(monitor.node, "\(title): it must call POST /targets/\(id)/heartbeat now, and not /api/push")
        }
        losses(of: monitor, title, &draft)
        let isAdded = draft.add(
            .mapping(pairs),
            to: "targets",
            name: title,
            as: .monitor,
            variables: probe.variables,
            pausedBy: probe.pauses,
            at: monitor.node
        )
        if isAdded { receivers.take(id, number, group: group, tables.notified[number] ?? [], monitor) }
    }

    /// A tag with several values has all of them.
    private func tags(
        of number: Int,
        _ title: NoteSubject,
        at monitor: KumaRow,
        _ draft: inout ImportDraft
    ) -> [(String, YAMLText)] {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for tag in tables.tags[number] ?? [] {
            if values[tag.name] == nil { names.append(tag.name) }
            values[tag.name, default: []].append(tag.value)
        }
        return names.map { name in
            let own = (values[name] ?? []).filter { !$0.isEmpty }
            if own.count > 1 {
                draft.note(monitor.node, "\(title): the tag \(name.quoted) has several values, which become one")
            }
            return (name, .text(own.isEmpty ? "yes" : own.joined(separator: ",")))
        }
    }

    /// Notes the settings of all types that reachd lacks.
    private func losses(of monitor: KumaRow, _ title: NoteSubject, _ draft: inout ImportDraft) {
        if monitor.text("description") != nil {
            draft.lose(.setting, monitor.node, "\(title): its description is not carried over")
        }
        if monitor.flag("domain_expiry_notification"), Self.hasDomain(monitor) {
            draft.lose(.setting, monitor.node, "\(title): the expiry of its domain is not checked by reachd")
        }
        for column in monitor.columns.subtracting(KumaProbe.columns).sorted() where monitor.text(column) != "[]" {
            draft.lose(.setting, monitor.node, "\(title): \(same: column.quoted) is not carried over")
        }
    }

    /// Whether a monitor's host is a name, and not an address.
    private static func hasDomain(_ monitor: KumaRow) -> Bool {
        guard let host = monitor.text("url")?.endpoint?.host ?? monitor.text("hostname") else { return false }
        if case .name? = try? ProbeTarget(host).host { return true }
        return false
    }
}
