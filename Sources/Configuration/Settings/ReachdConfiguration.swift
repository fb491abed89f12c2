// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring
public import NetworkPaths

/// Everything that can be configured, checked: a value that exists can be used.
public struct ReachdConfiguration: Sendable, Hashable {
    /// The HTTP interface.
    public let http: HTTPSettings
    /// What is logged.
    public let log: LogSettings
    /// How much the event log keeps.
    public let events: EventLogSettings
    /// How the engine sees the machine.
    public let paths: PathEngineOptions
    /// How a name is judged before its first answer, for targets that do not say.
    public let nameJudgement: PathRequest.NameJudgement
    /// Whether to watch what every machine has.
    public let watchesAutomatically: Bool
    /// What is watched, in the order of the file; ids are unique.
    public let targets: [TargetSettings]

    /// What holds without a file, an environment or a command line.
    public static var standard: ReachdConfiguration {
        var reader = SchemaReader(path: "", environment: [:], overrides: [:])
        var assembler = ConfigurationAssembler(root: reader.read(nil, as: ConfigurationSchema.root))
        return assembler.assemble(&reader)
    }
}
