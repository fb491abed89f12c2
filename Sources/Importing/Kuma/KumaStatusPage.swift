// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The public status page: the first published one, as far as its groups are groups of targets.
struct KumaStatusPage {
    private let page: KumaRow?
    private let others: [KumaRow]
    private let groups: [KumaRow]
    /// The numbers of monitors, by the number of the group.
    private var entries: [Int: [KumaRow]] = [:]
    /// The first group of a monitor on the page.
    private var names: [Int: String] = [:]

    init(_ tables: KumaTables) {
        let chosen = tables.pages.firstIndex { $0.flag("published", default: true) }
        page = chosen.map { tables.pages[$0] }
        others = tables.pages.enumerated().filter { $0.offset != chosen }.map(\.element)
        let number = page?.integer("id")
        groups = number == nil ? [] : tables.pageGroups.filter { $0.integer("status_page_id") == number }
        let numbers = Set(groups.compactMap { $0.integer("id") })
        for entry in tables.pageEntries {
            guard let group = entry.integer("group_id"), numbers.contains(group) else { continue }
            entries[group, default: []].append(entry)
        }
        for group in groups {
            for entry in entries[group.integer("id") ?? 0] ?? [] {
                guard let monitor = entry.integer("monitor_id"), names[monitor] == nil else { continue }
                names[monitor] = group.text("name")
            }
        }
    }

    /// The group that shows a monitor.
    func group(_ monitor: Int) -> String? { names[monitor] }

    /// Adds the page. A group of targets is shown if all of its targets are on the page: the others would become public.
    func finish(_ members: [KumaReceivers.Member], at root: YAMLNode, _ draft: inout ImportDraft) {
        for page in others {
            let name = (page.text("title") ?? page.text("slug") ?? "").quoted
            draft.lose(
                .setting,
                page.node,
                "the status page \(name) is not carried over: reachd has one, which is public"
            )
        }
        guard let page else { return }
        let title = NoteSubject(term: "the status page", name: (page.text("title") ?? "").quoted)
        let shown = Set(names.keys)
        var published: [String] = []
        for group in groups {
            let name = group.text("name") ?? ""
            let monitors = Set((entries[group.integer("id") ?? 0] ?? []).compactMap { $0.integer("monitor_id") })
            let own = members.filter { monitors.contains($0.number) }
            let names = own.compactMap(\.group)
            let isWhole =
                own.count == names.count
                && members.allSatisfy { member in
                    !names.contains(member.group ?? "") || shown.contains(member.number)
                }
            guard isWhole, !own.isEmpty else {
                let why = own.isEmpty ? "none of its targets is imported" : "not all targets of their groups are on it"
                draft.lose(.setting, group.node, "\(title): the group \(name.quoted) is not carried over: \(same: why)")
                continue
            }
            for name in names where !published.contains(name) { published.append(name) }
        }
        if entries.values.contains(where: { $0.contains { $0.flag("send_url") || $0.text("custom_url") != nil } }) {
            draft.lose(.setting, page.node, "\(title): reachd's page shows no URLs of targets")
        }
        guard !published.isEmpty else { return }
        var keys: [(String, YAMLText)] = []
        if let text = page.text("title") { keys.append(("title", .text(text))) }
        keys.append(("groups", .list(published.map { .text($0) })))
        if let footer = page.text("footer_text") {
            if footer.contains(where: \.isNewline) || footer.utf8.count > 256 {
                draft.lose(.setting, page.node, "\(title): its footer is not carried over: it is not one line")
            } else {
                keys.append(("footer", .text(footer)))
            }
        }
        draft.note(page.node, "\(title) is at /public; its looks, domain names and incidents are not carried over")
        draft.setPage(keys, name: title, at: page.node)
    }
}
