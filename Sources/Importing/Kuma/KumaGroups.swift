// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The groups of monitors: monitors of the type `group`, which may be in others.
struct KumaGroups {
    private var groups: [Int: KumaRow] = [:]
    private let page: KumaStatusPage

    /// How deep groups may be inside of others.
    private static let maximumDepth = 16

    init(_ monitors: [KumaRow], _ page: KumaStatusPage) {
        self.page = page
        for monitor in monitors where monitor.text("type") == "group" {
            if let id = monitor.integer("id") { groups[id] = monitor }
        }
    }

    /// The groups that a monitor is in, the innermost first.
    private func groups(of monitor: KumaRow) -> [KumaRow] {
        var path: [KumaRow] = []
        var next = monitor.integer("parent")
        while let number = next, path.count < Self.maximumDepth, let group = groups[number] {
            path.append(group)
            next = group.integer("parent")
        }
        return path
    }

    /// The group's name of a target: the path of groups, or else the group on the status page.
    func name(of monitor: KumaRow) -> String? {
        let path = groups(of: monitor).reversed().compactMap { $0.text("name") }
        let name = path.isEmpty ? monitor.integer("id").flatMap(page.group) : path.joined(separator: " / ")
        return name.map { $0.split { $0.isNewline }.joined(separator: " ") }
    }

    /// Whether a group of a monitor is paused, which pauses it.
    func isPaused(_ monitor: KumaRow) -> Bool { groups(of: monitor).contains { !$0.flag("active", default: true) } }
}
