// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
package import NetworkPaths
package import Notifying
package import Probing
import Schema

/// Everything that can be configured, checked: a value that exists can be used. A new one has the defaults.
package struct ReachdConfiguration: Sendable, Hashable {
    /// The HTTP interface.
    package var http = HTTPSettings()
    /// What is logged.
    package var log = LogSettings()
    /// How much the event log keeps.
    package var events = EventLogSettings()
    /// Whether and where the event log is kept over a restart.
    package var history = HistoryConfiguration()
    /// The receivers of notifications.
    package var receivers: [ReceiverSettings] = []
    /// How the engine sees the machine.
    package var paths = PathEngineOptions()
    /// What holds for all probes.
    package var probing = ProbingSettings()
    /// How a name is judged before its first answer, for targets that do not say.
    package var nameJudgement = PathRequest.NameJudgement.optimistic
    /// Whether to watch what every machine has.
    package var watchesAutomatically = true
    /// What is watched, in the order of the file; ids are unique.
    package var targets: [TargetSettings] = []
    /// How many targets there may be in all.
    package var maximumTargets = 100_000
    /// Where other programs say what is watched, if they do.
    var discovering = DiscoverySettings()
    /// What `/probe` can do, the built-in modules included; names are unique.
    package var probeModules: [ProbeModule] = []
    /// Where the targets of the HTTP interface are kept over a restart.
    package var stateFile = StateFileSetting.standard

    /// Where other programs say what is watched; nil for nowhere.
    package var discovery: DiscoverySettings? { discovering.files.isEmpty ? nil : discovering }

    /// An equal configuration that holds the values of an earlier one where they did not change, so that what others keep
    /// of these is not in memory twice.
    package func sharing(with old: ReachdConfiguration) -> ReachdConfiguration {
        let kept = Dictionary(old.targets.map { ($0.id, $0) }) { first, _ in first }
        var shared = self
        shared.targets = targets.map { target in kept[target.id].flatMap { $0 == target ? $0 : nil } ?? target }
        return shared
    }

    /// What holds without a file, an environment or a command line.
    package static var standard: ReachdConfiguration {
        var reader = SchemaReader(path: "", environment: [:], overrides: [:])
        let root = reader.read(nil, as: ConfigurationSchema.root)
        return ConfigurationAssembler(root: root).assemble(&reader)
    }
}

extension PathRequest.NameJudgement: SettingValue {}
