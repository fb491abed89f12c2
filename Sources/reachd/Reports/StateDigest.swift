// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import NetworkPaths

/// Events as people read them in an outage: one line for this machine's network with the targets that it took along, one
/// for every other change of state. Changes of flags and paths that only explain a state are left out.
///
/// A value without clock or I/O: from events and times it returns the lines to print.
struct StateDigest: EventDigest {
    /// What one change of the network did.
    private struct Group {
        let isOver: Bool
        let at: Timestamp?
        /// The change of the machine's own network, if that was one.
        var network: JSONValue?
        /// What set it off, when that was within ``StateDigest/spread``.
        var trigger: Trigger?
        /// Targets and their events, in order.
        var members: [(id: String, data: JSONValue)] = []
        /// When the last of its events happened.
        var lastAt: Timestamp?
        var lastNews: UInt64
        let began: UInt64
    }

    /// What the kernel said that set a change off.
    private struct Trigger {
        let kind: String
        let interface: String?
        let at: Timestamp?
    }

    /// How long nothing more may come before a group is printed, and how long it is gathered at most, in nanoseconds.
    private static let quiet: UInt64 = 500_000_000
    private static let longest: UInt64 = 3_000_000_000
    /// Events that lie further apart are not of one cause, in milliseconds.
    private static let spread: Int64 = 3_000
    /// Targets that are remembered at most.
    private static let limit = 100_000
    /// Targets that a line names at most.
    private static let named = 3
    private static let ownCauses: Set<String> = ["local_network", "dns"]

    private let line: WatchLine
    private var names: [String: String] = [:]
    private var since: [String: Int64] = [:]
    /// Targets that the machine's own network took along.
    private var away: Set<String> = []
    private var trigger: Trigger?
    private var group: Group?

    init(line: WatchLine) { self.line = line }

    /// Takes a target's body: its name, its state's beginning.
    mutating func learn(_ target: JSONValue) {
        guard let id = target["id"]?.words, names.count < Self.limit || names[id] != nil else { return }
        names[id] = target["name"]?.words ?? id
        since[id] = target["since"]?.moment?.milliseconds
        let isAway = target["state"]?.words == "unreachable" && Self.ownCauses.contains(target["cause"]?.words ?? "")
        if isAway { away.insert(id) } else { away.remove(id) }
    }

    mutating func take(_ type: String, _ data: JSONValue, now: UInt64) -> [String] {
        switch type {
        case "path": return []
        case "reachability":
            note(data)
            // A target's flags only explain its state.
            guard data["target"] == nil || data["target"]?.words == nil else { return [] }
            return network(data, now: now)
        case "state": return state(data, now: now)
        case "target":
            if let target = data["target"] { learn(target) }
            if data["action"]?.text == "removed", let id = data["target", "id"]?.words { forget(id) }
        case "snapshot":
            for target in data["targets"]?.elements ?? [] { learn(target) }
        default: break
        }
        guard let words = line.brief(type, data) else { return flush() }
        return flush() + line.lines(at: data["at"]?.moment, words)
    }

    mutating func settle(now: UInt64) -> [String] {
        guard let group, now >= group.lastNews + Self.quiet || now >= group.began + Self.longest else { return [] }
        return flush()
    }

    // MARK: One change of state

    private mutating func state(_ data: JSONValue, now: UInt64) -> [String] {
        guard let id = data["target"]?.words, let to = data["to"]?.words else { return [] }
        let isOwn = Self.ownCauses.contains(data["cause"]?.words ?? "")
        if to == "unreachable", isOwn {
            // The same outage by another reason.
            guard away.count < Self.limit, away.insert(id).inserted else { return [] }
            return gather(id, data, isOver: false, now: now)
        }
        let wasAway = away.remove(id) != nil
        if wasAway, to == "up" { return gather(id, data, isOver: true, now: now) }
        return endGroup(before: data["at"]?.moment) + single(id, data)
    }

    private mutating func single(_ id: String, _ data: JSONValue) -> [String] {
        let at = data["at"]?.moment
        let subject = line.terminal.paint(name(id), .bold)
        return line.lines(at: at, "\(subject)  \(line.state(data, after: lasted(id, until: at)))")
    }

    /// How long a target was in the state before, when that is known and worth saying; its state now begins.
    private mutating func lasted(_ id: String, until moment: Timestamp?) -> Int64? {
        guard let moment else { return nil }
        let begin = since.updateValue(moment.milliseconds, forKey: id)
        guard let begin, moment.milliseconds - begin >= 1_000 else { return nil }
        return moment.milliseconds - begin
    }

    private func name(_ id: String) -> String {
        guard let name = names[id], name != id else { return id }
        return "\(name) (\(id))"
    }

    private mutating func forget(_ id: String) {
        names[id] = nil
        since[id] = nil
        away.remove(id)
    }

    // MARK: The machine's own network

    private mutating func note(_ data: JSONValue) {
        guard let kind = data["trigger", "kind"]?.words else { return }
        trigger = Trigger(kind: kind, interface: data["trigger", "interface"]?.words, at: data["at"]?.moment)
    }

    private mutating func network(_ data: JSONValue, now: UInt64) -> [String] {
        let isOver = data["reachable"]?.boolean ?? true
        let lines = begin(isOver: isOver, at: data["at"]?.moment, now: now)
        group?.network = data
        return lines
    }

    private mutating func gather(_ id: String, _ data: JSONValue, isOver: Bool, now: UInt64) -> [String] {
        let lines = begin(isOver: isOver, at: data["at"]?.moment, now: now)
        group?.members.append((id, data))
        return lines
    }

    /// Prints the group when an event happened after its quiet time: lines of a burst, such as a backlog, are in the order of time.
    private mutating func endGroup(before moment: Timestamp?) -> [String] {
        guard let moment, let last = group?.lastAt,
            moment.milliseconds - last.milliseconds >= Int64(Self.quiet / 1_000_000)
        else { return [] }
        return flush()
    }

    /// Goes on with the group, or prints it and begins another.
    private mutating func begin(isOver: Bool, at moment: Timestamp?, now: UInt64) -> [String] {
        if let group, group.isOver == isOver,
            let first = group.at, let moment, abs(moment.milliseconds - first.milliseconds) <= Self.spread
        {
            self.group?.lastNews = now
            self.group?.lastAt = moment
            adoptTrigger()
            return []
        }
        let lines = flush()
        group = Group(isOver: isOver, at: moment, lastAt: moment, lastNews: now, began: now)
        adoptTrigger()
        return lines
    }

    private mutating func adoptTrigger() {
        guard let group, group.trigger == nil, let at = trigger?.at, let begin = group.at,
            abs(at.milliseconds - begin.milliseconds) <= Self.spread
        else { return }
        self.group?.trigger = trigger
    }

    private mutating func flush() -> [String] {
        guard let group else { return [] }
        self.group = nil
        guard group.network != nil || group.members.count > 1 else {
            return group.members.flatMap { single($0.id, $0.data) }
        }
        var lasted: Int64?
        for (id, data) in group.members {
            if let length = self.lasted(id, until: data["at"]?.moment) { lasted = max(lasted ?? 0, length) }
        }
        var words = group.isOver ? recovery(group) : cause(group)
        let count = group.members.count
        if count > 0 {
            let who =
                count <= Self.named ? group.members.map { name($0.id) }.joined(separator: ", ") : "\(count) targets"
            words += ": \(who) \(line.paint(group.isOver ? "up" : "unreachable"))"
            if group.isOver {
                words += " again" + (lasted.map { " after \(DurationFormatter.elapsed(milliseconds: $0))" } ?? "")
            }
        }
        return line.lines(at: group.at, words)
    }

    /// What happened to the network, in a few words.
    private func cause(_ group: Group) -> String {
        let reasons = group.members.compactMap { $0.data["reason", "code"]?.words }
        let reason = group.network?["path", "unsatisfied_reason"]?.words ?? reasons.first ?? "not reachable"
        let plain =
            UnsatisfiedReason(rawValue: reason) == nil
            ? reason.split(separator: "_").joined(separator: " ") : PathFormatter.reason(reason)
        if group.members.first?.data["cause"]?.words == "dns" { return "DNS failed (\(plain))" }
        guard let trigger = group.trigger else { return plain }
        guard let interface = trigger.interface else { return "\(plain) (\(trigger.kind))" }
        switch (trigger.kind, reason) {
        case ("link", "no_carrier"): return "\(interface) lost carrier"
        case ("link", _): return "\(interface) went down"
        default: return "\(plain) (\(trigger.kind) of \(interface))"
        }
    }

    private func recovery(_ group: Group) -> String {
        guard let network = group.network else { return "Reachable again" }
        return "Network online" + PathFormatter.route(network)
    }
}
