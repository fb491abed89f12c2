// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths

/// A filter of targets: all conditions must hold, and one of the alternatives within each.
struct TargetFilter: Hashable {
    var ids: Set<String> = []
    var tags: [TagFilter] = []
    var groups: [String] = []
    var states: [TargetState] = []
    var statuses: [ReachabilityStatus] = []
    /// Part of the id, the name, or the declared address; ASCII letters without regard to case.
    var text = ""

    /// Whether it matches everything, including the machine's own network.
    var isEmpty: Bool { self == TargetFilter() }

    func matches(_ record: StatusRecord) -> Bool {
        guard let settings = record.target?.settings else { return isEmpty }
        return (ids.isEmpty || ids.contains(settings.id))
            && tags.allSatisfy { settings.tags[$0.name] == $0.value }
            && (groups.isEmpty || settings.group.map(groups.contains) ?? false)
            && (states.isEmpty || states.contains(record.state))
            && (statuses.isEmpty || statuses.contains(record.status))
            && (text.isEmpty || contains(settings.id) || contains(settings.name ?? "")
                || !settings.hidesAddress && contains(settings.text))
    }

    /// Whether a stored event is of a target that a stream includes: streams filter by these conditions alone.
    func matches(_ event: RecordedEvent) -> Bool {
        guard let id = event.target else { return isEmpty }
        return (ids.isEmpty || ids.contains(id))
            && tags.allSatisfy { event.tags[$0.name] == $0.value }
            && (groups.isEmpty || event.group.map(groups.contains) ?? false)
    }

    private func contains(_ field: String) -> Bool {
        let needle = text.utf8
        guard field.utf8.count >= needle.count else { return false }
        var start = field.utf8.startIndex
        for _ in 0...(field.utf8.count - needle.count) {
            if field.utf8[start...].prefix(needle.count).elementsEqual(needle, by: { Self.fold($0) == Self.fold($1) }) {
                return true
            }
            start = field.utf8.index(after: start)
        }
        return false
    }

    private static func fold(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
}

/// A tag that a target must carry.
struct TagFilter: Hashable {
    let name: String
    let value: String
}
