// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Monitoring
import NetworkPaths

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
        guard let engine = try? PathEngine(options: options, observer: NoObserver()) else { return nil }
        defer { engine.close() }
        return engine.environment
    }
}

/// For an engine that is asked, and whose events nobody reads.
final class NoObserver: PathEngineObserver {
    func pathsDidChange(_ updates: [PathUpdate]) {}
    func environmentDidChange(_ environment: NetworkEnvironment) {}
}
