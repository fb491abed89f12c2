// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Fleet
package import HTTPServer
package import History
package import Monitoring
package import NetworkPaths
package import Notifying
package import Probing
package import ReachAPI
package import Schema

/// The complete configuration, checked: every existing value is valid. A new one has the defaults.
package struct ReachdConfiguration: Sendable, Hashable {
    /// The further files of the configuration, with wildcards.
    package var include: [String] = []
    /// When the configuration is read again.
    package var reload = ReloadTrigger.manual
    /// The HTTP interface.
    package var http = HTTPSettings()
    /// The log settings.
    package var log = LogSettings()
    /// The limits of the event log.
    package var events = EventLogSettings()
    /// Whether and where the event log is stored across restarts.
    package var history = HistoryConfiguration()
    /// The receivers of notifications.
    package var receivers: [ReceiverSettings] = []
    /// The options of the path engine.
    package var paths = PathEngineOptions()
    /// The settings of all probes.
    package var probing = ProbingSettings()
    /// How a name is evaluated before its first answer, for targets without their own setting.
    package var nameEvaluation = PathRequest.NameEvaluation.optimistic
    /// Whether to monitor the automatic targets.
    package var watchesAutomatically = true
    /// The targets, in the order of the file; ids are unique.
    package var targets: [TargetSettings] = []
    /// The maximum number of targets.
    package var maximumTargets = 100_000
    /// The discovery settings, used if it has files or other sources.
    var discovering = DiscoverySettings()
    /// The modules of `/probe`, including built-in ones; names are unique.
    package var probeModules: [ProbeModule] = []
    /// Where API targets are stored across restarts.
    package var stateFile = StateFileSetting.standard
    /// The fleet that this reachd belongs to, and its part in it.
    package var fleet = FleetNodeSettings()

    /// The discovery settings; nil without files and other sources.
    package var discovery: DiscoverySettings? {
        discovering.files.isEmpty && discovering.sources.isEmpty ? nil : discovering
    }

    /// An equal configuration that reuses the unchanged values of an earlier one, so that shared values are not in
    /// memory twice.
    package func sharing(with old: ReachdConfiguration) -> ReachdConfiguration {
        let kept = Dictionary(old.targets.map { ($0.id, $0) }) { first, _ in first }
        var shared = self
        shared.targets = targets.map { target in kept[target.id].flatMap { $0 == target ? $0 : nil } ?? target }
        return shared
    }

    /// The defaults, without a file, an environment or a command line.
    package static var standard: ReachdConfiguration {
        var reader = SchemaReader(path: "", environment: [:], overrides: [:])
        let root = reader.read(nil, as: ConfigurationSchema.root)
        return ConfigurationAssembler(root: root).assemble(&reader)
    }
}

/// When the configuration is read again.
package enum ReloadTrigger: String, Sendable, Hashable, SettingValue {
    /// On SIGHUP and `POST /-/reload`.
    case manual
    /// Besides, when one of its files changes.
    case auto
}

extension PathRequest.NameEvaluation: SettingValue {}

/// The settings of discovery.
package struct DiscoverySettings: Sendable, Hashable {
    /// The paths of discovery files, with `*`, `?` and `[…]` in the last part; empty for none.
    package var files: [String] = []
    /// How often they are read again without a notification of a change.
    package var refresh: Duration = .seconds(300)
    /// The probe of the targets; nil to use their paths alone.
    var probe: ValidatedMapping?
    /// The sources besides the files, in the order in which their targets count.
    package var sources: [DeclaredSource] = []

    /// The sources of a kind.
    func sources(of kind: String) -> [DeclaredSource] { sources.filter { $0.kind == kind } }
}

/// The addresses, the API settings and the limits of the HTTP interface.
package struct HTTPSettings: Sendable, Hashable {
    /// The listen addresses, at least one.
    package var listen = [ListenSettings.standard]
    /// Whether the configuration sets the allowed hosts, so that they do not follow from the addresses.
    package var namesHosts = false
    /// The allowed hosts, the path prefix, and the access rules.
    package var api = APISettings(
        hosts: .loopback(also: []),
        access: AccessRules(writesPerSecond: 100)
    )
    /// The address that serves only the public status page; nil for none.
    package var publicListen: ListenAddress?
    /// The targets that clients may name.
    package var targetPolicy = TargetPolicy()
    /// Limits on connections, requests and streams.
    package var limits = HTTPServerLimits()
}

/// Whether and where the event log is stored across restarts, and its settings.
package struct HistoryConfiguration: Sendable, Hashable {
    /// Whether it is stored.
    package var isEnabled = true
    /// The file; nil for the default state directory.
    package var path: String?
    /// Its settings.
    package var settings = HistorySettings()
    /// How long the statistics per minute, hour and day are kept.
    package var rollups = RollupSettings()
}

/// The log settings.
package struct LogSettings: Sendable, Hashable {
    /// The format of a line.
    package enum Format: String, Sendable, Hashable {
        /// `time level message key=value`
        case text
        /// One object per line.
        case json
    }

    /// The lowest logged level, by the name in swift-log.
    package var level = "info"
    /// The format of a line.
    package var format = Format.text
}

extension LogSettings.Format: SettingValue {}

/// Where API targets are stored across restarts (`state_file`).
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
