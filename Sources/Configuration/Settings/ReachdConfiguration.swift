// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
package import NetworkPaths
package import Notifying
package import Probing
import Schema

/// Everything that can be configured, checked: a value that exists can be used.
package struct ReachdConfiguration: Sendable, Hashable {
    /// The HTTP interface.
    package let http: HTTPSettings
    /// What is logged.
    package let log: LogSettings
    /// How much the event log keeps.
    package let events: EventLogSettings
    /// Whether and where the event log is kept over a restart.
    package let history: HistoryConfiguration
    /// Who is told of changes.
    package let receivers: [ReceiverSettings]
    /// How the engine sees the machine.
    package let paths: PathEngineOptions
    /// What holds for all probes.
    package let probing: ProbingSettings
    /// How a name is judged before its first answer, for targets that do not say.
    package let nameJudgement: PathRequest.NameJudgement
    /// Whether to watch what every machine has.
    package let watchesAutomatically: Bool
    /// What is watched, in the order of the file; ids are unique.
    package let targets: [TargetSettings]
    /// How many targets there may be in all.
    package let maximumTargets: Int
    /// Where other programs say what is watched; nil for nowhere.
    package let discovery: DiscoverySettings?
    /// What `/probe` can do, the built-in modules included; names are unique.
    package let probeModules: [ProbeModule]
    /// Where the targets of the HTTP interface are kept over a restart.
    package let stateFile: StateFileSetting

    /// An equal configuration that holds the values of an earlier one where they did not change, so that what others keep
    /// of these is not in memory twice.
    package func sharing(with old: ReachdConfiguration) -> ReachdConfiguration {
        let kept = Dictionary(old.targets.map { ($0.id, $0) }) { first, _ in first }
        return ReachdConfiguration(
            http: http,
            log: log,
            events: events,
            history: history,
            receivers: receivers,
            paths: paths,
            probing: probing,
            nameJudgement: nameJudgement,
            watchesAutomatically: watchesAutomatically,
            targets: targets.map { target in kept[target.id].flatMap { $0 == target ? $0 : nil } ?? target },
            maximumTargets: maximumTargets,
            discovery: discovery,
            probeModules: probeModules,
            stateFile: stateFile
        )
    }

    /// What holds without a file, an environment or a command line.
    package static var standard: ReachdConfiguration {
        var reader = SchemaReader(path: "", environment: [:], overrides: [:])
        var assembler = ConfigurationAssembler(root: reader.read(nil, as: ConfigurationSchema.root))
        return assembler.assemble(&reader)
    }
}
