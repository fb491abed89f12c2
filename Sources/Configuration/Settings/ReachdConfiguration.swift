// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring
public import NetworkPaths
public import Notifying
public import Probing

/// Everything that can be configured, checked: a value that exists can be used.
public struct ReachdConfiguration: Sendable, Hashable {
    /// The HTTP interface.
    public let http: HTTPSettings
    /// What is logged.
    public let log: LogSettings
    /// How much the event log keeps.
    public let events: EventLogSettings
    /// Whether and where the event log is kept over a restart.
    public let history: HistoryConfiguration
    /// Who is told of changes.
    public let receivers: [ReceiverSettings]
    /// How the engine sees the machine.
    public let paths: PathEngineOptions
    /// What holds for all probes.
    public let probing: ProbingSettings
    /// How a name is judged before its first answer, for targets that do not say.
    public let nameJudgement: PathRequest.NameJudgement
    /// Whether to watch what every machine has.
    public let watchesAutomatically: Bool
    /// What is watched, in the order of the file; ids are unique.
    public let targets: [TargetSettings]
    /// How many targets there may be in all.
    public let maximumTargets: Int
    /// Where other programs say what is watched; nil for nowhere.
    public let discovery: DiscoverySettings?
    /// What `/probe` can do, the built-in modules included; names are unique.
    public let probeModules: [ProbeModule]
    /// Where the targets of the HTTP interface are kept over a restart.
    public let stateFile: StateFileSetting

    /// An equal configuration that holds the values of an earlier one where they did not change, so that what others keep
    /// of these is not in memory twice.
    public func sharing(with old: ReachdConfiguration) -> ReachdConfiguration {
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
    public static var standard: ReachdConfiguration {
        var reader = SchemaReader(path: "", environment: [:], overrides: [:])
        var assembler = ConfigurationAssembler(root: reader.read(nil, as: ConfigurationSchema.root))
        return assembler.assemble(&reader)
    }
}
