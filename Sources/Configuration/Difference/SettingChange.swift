// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import Monitoring
import NetworkPaths
import Notifying
import Probing

/// A setting that is different from before.
package struct SettingChange: Sendable, Hashable {
    /// The dotted key: `log.level`.
    package let key: String
    /// Whether it is taken only when the service starts.
    package let needsRestart: Bool

    /// How a change is found.
    struct Comparison: Sendable {
        let change: SettingChange
        let differs: @Sendable (ReachdConfiguration, ReachdConfiguration) -> Bool
    }

    /// Every key of the file but `targets`, whose changes are told one by one.
    static let all: [Comparison] = [
        setting("listen", needsRestart: true) { $0.http.listen },
        setting("allowed_hosts", needsRestart: true) { $0.http.allowedHosts },
        setting("base_path", needsRestart: true) { $0.http.basePath },
        setting("access.tokens") { $0.http.access.tokens },
        setting("access.cors_origins") { $0.http.access.origins },
        setting("access.targets.allow") { $0.http.access.targets.allowed },
        setting("access.targets.deny") { $0.http.access.targets.denied },
        setting("access.targets.loopback") { $0.http.access.targets.allowsLoopback },
        setting("access.targets.kinds") { $0.http.access.targets.kinds },
        setting("access.targets.ports") { $0.http.access.targets.ports },
        setting("access.targets.proxies") { $0.http.access.targets.allowsProxies },
        setting("limits.writes_per_second") { $0.http.access.writesPerSecond },
        setting("log.level") { $0.log.level },
        setting("log.format") { $0.log.format },
        setting("auto_targets") { $0.watchesAutomatically },
        setting("interfaces") { $0.paths.interfaceRules },
        setting("connections") { $0.paths.connections },
        setting("mark") { $0.paths.mark },
        setting("sysfs") { $0.paths.sysfsRoot },
        setting("network.names") { $0.nameJudgement },
        setting("network.receive_buffer", needsRestart: true) { $0.paths.receiveBuffer },
        setting("events.log_size", needsRestart: true) { $0.events.capacity },
        setting("events.log_bytes", needsRestart: true) { $0.events.maximumBytes },
        setting("events.heartbeat", needsRestart: true) { $0.http.heartbeat },
        setting("events.max_streams", needsRestart: true) { $0.http.maximumStreams },
        setting("events.stall_timeout", needsRestart: true) { $0.http.stallTimeout },
        setting("history.enabled", needsRestart: true) { $0.history.isEnabled },
        setting("history.path", needsRestart: true) { $0.history.path },
        setting("history.max_age") { $0.history.settings.retention.age },
        setting("history.max_bytes") { $0.history.settings.retention.bytes },
        setting("history.required") { $0.history.settings.isRequired },
        setting("history.stall_timeout") { $0.history.settings.slowLimit },
        setting("notify") { $0.receivers },
        setting("history.keep_minutes") { $0.history.rollups.minutes },
        setting("history.keep_hours") { $0.history.rollups.hours },
        setting("history.keep_days") { $0.history.rollups.days },
        setting("history.keep_bytes") { $0.history.rollups.bytes },
        setting("probing.max_concurrent", needsRestart: true) { $0.probing.limits.total },
        setting("probing.max_per_address", needsRestart: true) { $0.probing.limits.perAddress },
        setting("probing.start_spread", needsRestart: true) { $0.probing.spread },
        setting("probing.anchors") { $0.probing.anchors },
        setting("probing.anchor_quorum") { $0.probing.quorum },
        setting("probe_modules") { $0.probeModules },
        setting("limits.connections", needsRestart: true) { $0.http.connections },
        setting("limits.connections_per_address", needsRestart: true) { $0.http.connectionsPerAddress },
        setting("limits.header_size", needsRestart: true) { $0.http.headerSize },
        setting("limits.body_size", needsRestart: true) { $0.http.bodySize },
        setting("limits.header_timeout", needsRestart: true) { $0.http.headerTimeout },
        setting("limits.body_timeout", needsRestart: true) { $0.http.bodyTimeout },
        setting("limits.idle_timeout", needsRestart: true) { $0.http.idleTimeout },
        setting("limits.targets") { $0.maximumTargets },
        setting("discovery.files") { $0.discovery?.files },
        setting("discovery.refresh") { $0.discovery?.refresh },
        setting("discovery.probe") { $0.discovery?.probe },
        setting("state_file", needsRestart: true) { $0.stateFile },
    ]

    private static func setting<Value: Equatable & SendableMetatype>(
        _ key: String,
        needsRestart: Bool = false,
        _ value: @escaping @Sendable (ReachdConfiguration) -> Value
    ) -> Comparison {
        Comparison(change: SettingChange(key: key, needsRestart: needsRestart)) { old, new in
            value(old) != value(new)
        }
    }
}
