// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import JSON
import Monitoring
import NetworkPaths
import ReachAPI

/// What a file would change of the targets of a running service.
struct DeclarationDifference {
    private var added: [String] = []
    private var updated: [(id: String, changes: [String])] = []
    private var removed: [String] = []
    private var unchanged = 0

    var isEmpty: Bool { added.isEmpty && updated.isEmpty && removed.isEmpty }

    init(_ configuration: ReachdConfiguration, running: [JSONValue]) {
        var before: [String: JSONValue] = [:]
        for target in running {
            if let id = target["id"]?.text { before[id] = target }
        }
        for target in configuration.targets {
            guard let old = before.removeValue(forKey: target.id) else {
                added.append(target.id)
                continue
            }
            guard let new = try? JSONValue(reading: DeclarationListing.document(target)) else { continue }
            let changes = Self.changes(old, new, above: "")
            if changes.isEmpty { unchanged += 1 } else { updated.append((target.id, changes)) }
        }
        for (id, target) in before {
            switch target["origin"]?.text {
            case "config": removed.append(id)
            case "auto" where !configuration.watchesAutomatically: removed.append(id)
            default: unchanged += 1
            }
        }
        removed.sort()
    }

    var lines: [String] {
        let changes =
            added.map { "+ \($0)" }
            + updated.map { "~ \(TerminalText.safe($0.id))  \($0.changes.joined(separator: "; "))" }
            + removed.map { "- \(TerminalText.safe($0))" }
        let counts = "\(added.count) added, \(updated.count) changed, \(removed.count) removed, \(unchanged) unchanged"
        return changes + [counts]
    }

    private static func changes(_ old: JSONValue?, _ new: JSONValue?, above: String) -> [String] {
        if let before = old?.members, let after = new?.members {
            let names = before.map(\.name) + after.map(\.name).filter { name in !before.contains { $0.name == name } }
            return names.flatMap { name -> [String] in
                // Of the service's own making.
                if above.isEmpty, name == "persisted" { return [] }
                return changes(old?[name], new?[name], above: above.isEmpty ? name : "\(above).\(name)")
            }
        }
        let (before, after) = (old?.canonical, new?.canonical)
        guard before != after else { return [] }
        return [
            "\(TerminalText.safe(above)): \(TerminalText.safe(before ?? "none")) → \(TerminalText.safe(after ?? "none"))"
        ]
    }
}

/// How many targets a configuration comes to on this machine, in words: its own, and the automatic ones.
enum TargetCount {
    /// `2 targets`, or `0 targets and 3 automatic ones on this machine (default-ipv4, …)`.
    ///
    /// Without the kernel's answers the automatic ones are not counted, and the words say only that there are some.
    static func words(_ configuration: ReachdConfiguration) -> String {
        let count = configuration.targets.count
        let words = count == 1 ? "1 target" : "\(count) targets"
        guard configuration.watchesAutomatically else { return words }
        guard let environment = environment(configuration.paths) else { return "\(words) and the automatic ones" }
        var targets = AutomaticTargets()
        targets.follow(environment)
        let automatic = targets.settings.map(\.id)
        let names = automatic.joined(separator: ", ")
        return
            "\(words) and \(automatic.count) automatic \(automatic.count == 1 ? "one" : "ones") on this machine (\(names))"
    }

    private static func environment(_ options: PathEngineOptions) -> NetworkEnvironment? {
        guard let engine = try? PathEngine(options: options, observer: DiscardingEngineObserver()) else { return nil }
        defer { engine.close() }
        return engine.environment
    }
}

/// For an engine that is queried and whose events are ignored.
final class DiscardingEngineObserver: PathEngineObserver {
    func pathsDidChange(_ updates: [PathUpdate]) {}
    func environmentDidChange(_ environment: NetworkEnvironment) {}
}
