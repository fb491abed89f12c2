// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration

/// What Uptime Kuma has configured: from its database, or from a backup, which lacks maintenances and status pages.
struct KumaTables {
    /// The monitors in the order of their numbers, groups among them.
    let monitors: [KumaRow]
    let notifications: [KumaRow]
    let maintenances: [KumaRow]
    let pages: [KumaRow]
    /// The groups of status pages, in their order.
    let pageGroups: [KumaRow]
    /// Where monitors are on status pages, in their order.
    let pageEntries: [KumaRow]
    /// Names and values, by the number of the monitor.
    private(set) var tags: [Int: [(name: String, value: String)]] = [:]
    /// The numbers of notifications, by the number of the monitor.
    private(set) var notified: [Int: Set<Int>] = [:]
    /// The numbers of monitors, by the number of the maintenance.
    private(set) var maintained: [Int: [Int]] = [:]
    private(set) var proxies: [Int: KumaRow] = [:]
    private var settings: [String: String] = [:]

    init(_ root: YAMLNode) {
        let isBackup = root["monitorList"] != nil
        monitors = Self.sorted(KumaRow.rows(root[isBackup ? "monitorList" : "monitor"]), by: "id")
        notifications = KumaRow.rows(root[isBackup ? "notificationList" : "notification"])
        maintenances = KumaRow.rows(root["maintenance"])
        pages = KumaRow.rows(root["status_page"])
        pageGroups = Self.sorted(KumaRow.rows(root["group"]), by: "weight")
        pageEntries = Self.sorted(KumaRow.rows(root["monitor_group"]), by: "weight")
        for proxy in KumaRow.rows(root[isBackup ? "proxyList" : "proxy"]) {
            if let id = proxy.integer("id") { proxies[id] = proxy }
        }
        for setting in KumaRow.rows(root["setting"]) {
            if let key = setting.text("key") { settings[key] = setting.text("value") }
        }
        if isBackup { takeNested() } else { takeLinks(root) }
    }

    /// Stable, and absent numbers last.
    private static func sorted(_ rows: [KumaRow], by column: String) -> [KumaRow] {
        rows.enumerated().sorted { left, right in
            let numbers = (left.element.integer(column) ?? .max, right.element.integer(column) ?? .max)
            return numbers.0 == numbers.1 ? left.offset < right.offset : numbers.0 < numbers.1
        }.map(\.element)
    }

    /// Takes what a backup has inside of its monitors.
    private mutating func takeNested() {
        for monitor in monitors {
            guard let id = monitor.integer("id") else { continue }
            for tag in KumaRow.rows(monitor.json("tags")) {
                if let name = tag.text("name") { tags[id, default: []].append((name, tag.text("value") ?? "")) }
            }
            switch monitor.json("notification_idlist")?.content {
            case .mapping(let pairs)?:
                let chosen = pairs.filter { $0.value.text == "true" }
                notified[id] = Set(chosen.compactMap { $0.key.text.flatMap { Int($0) } })
            case .sequence(let items)?: notified[id] = Set(items.compactMap { $0.text.flatMap { Int($0) } })
            default: break
            }
        }
    }

    /// Takes the tables that connect others.
    private mutating func takeLinks(_ root: YAMLNode) {
        var names: [Int: String] = [:]
        for tag in KumaRow.rows(root["tag"]) {
            if let id = tag.integer("id") { names[id] = tag.text("name") }
        }
        for link in KumaRow.rows(root["monitor_tag"]) {
            guard let monitor = link.integer("monitor_id"), let name = link.integer("tag_id").flatMap({ names[$0] })
            else { continue }
            tags[monitor, default: []].append((name, link.text("value") ?? ""))
        }
        for link in KumaRow.rows(root["monitor_notification"]) {
            guard let monitor = link.integer("monitor_id"), let other = link.integer("notification_id") else {
                continue
            }
            notified[monitor, default: []].insert(other)
        }
        for link in KumaRow.rows(root["monitor_maintenance"]) {
            guard let monitor = link.integer("monitor_id"), let other = link.integer("maintenance_id") else { continue }
            maintained[other, default: []].append(monitor)
        }
    }

    /// A setting, which is stored as JSON.
    func setting(_ key: String) -> YAMLNode? {
        settings[key].flatMap { text in try? YAMLNode(json: Array(text.utf8)) }
    }

    /// How many days before a certificate's expiry Uptime Kuma notifies for the first time.
    var expiryDays: Int {
        guard case .sequence(let items)? = setting("tlsExpiryNotifyDays")?.content else { return 21 }
        return items.compactMap { $0.text.flatMap { Int($0) } }.filter { (1...3_650).contains($0) }.max() ?? 21
    }
}
