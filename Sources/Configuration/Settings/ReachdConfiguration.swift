// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import HTTPServer
package import History
package import Monitoring
package import NetworkPaths
package import Notifying
package import Probing
package import ReachAPI
package import Schema

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
    package var nameEvaluation = PathRequest.NameEvaluation.optimistic
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

extension PathRequest.NameEvaluation: SettingValue {}

/// Where other programs say what is watched.
package struct DiscoverySettings: Sendable, Hashable {
    /// The paths of files of targets, with `*`, `?` and `[…]` in the last part; empty for nowhere.
    package var files: [String] = []
    /// How often they are read again without being told of a change.
    package var refresh: Duration = .seconds(300)
    /// How the targets are asked whether they answer; nil to believe their paths alone.
    var probe: ValidatedMapping?
}

/// Where the HTTP interface listens, what it answers, and what its clients may use up.
package struct HTTPSettings: Sendable, Hashable {
    /// Where it listens, at least one.
    package var listen = [ListenSettings.standard]
    /// Whether the configuration names the hosts that requests may use, and they do not follow from the addresses.
    package var namesHosts = false
    /// Which names a request may use, the path above all routes, and the rules of access.
    package var api = APISettings(
        hosts: .loopback(also: []),
        access: AccessRules(writesPerSecond: 100)
    )
    /// Which targets clients may name.
    package var targetPolicy = TargetPolicy()
    /// What connections, requests and streams may use up.
    package var limits = HTTPServerLimits()
}

/// Whether and where the event log is kept over a restart, and how.
package struct HistoryConfiguration: Sendable, Hashable {
    /// Whether it is.
    package var isEnabled = true
    /// The file; nil for wherever the service may keep its state.
    package var path: String?
    /// How.
    package var settings = HistorySettings()
    /// How long the minutes, hours and days of targets are kept.
    package var rollups = RollupSettings()
}

/// What is logged, and how.
package struct LogSettings: Sendable, Hashable {
    /// How a line looks.
    package enum Format: String, Sendable, Hashable {
        /// `time level message key=value`
        case text
        /// One object a line.
        case json
    }

    /// The least that is logged, one of swift-log's levels by name.
    package var level = "info"
    /// How a line looks.
    package var format = Format.text
}

extension LogSettings.Format: SettingValue {}

/// Where the targets of the HTTP interface are kept over a restart (`state_file`).
package enum StateFileSetting: Sendable, Hashable {
    /// In the service's state directory: the key is absent.
    case standard
    /// Nowhere: they last until the service ends.
    case none
    /// In this file.
    case file(String)

    /// The word for ``none``.
    static let noneWord = "none"
}

extension StateFileSetting: SettingValue {
    package init?(checked value: ValidatedValue) {
        guard let text = String(checked: value) else { return nil }
        self = text == Self.noneWord ? .none : .file(text)
    }

    package func written(as type: FieldType) -> String? { nil }
}
