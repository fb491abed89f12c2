// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import NetworkPaths
import Probing
import Synchronization
import TestSupport

/// A kernel with an uplink of its own, the engine, the registry and the probes on it, and a far end that answers for
/// 198.51.100.0/24 behind a gateway.
final class FaultScene: Sendable {
    let testbed: Testbed
    let registry: Registry
    let engine: PathEngine
    let probes: ProbeMonitor
    /// The changes of states, as they are told.
    let transitions = Recorder<(id: String, state: TargetState, detail: String)>()
    private let position = Mutex<UInt64>(0)
    /// Of the resolver's files, which are read again when they change.
    private let folder: TemporaryFolder

    /// Sets the scene, runs the body, and strikes the scene however the body ended.
    static func with(
        _ targets: [TargetSettings],
        settings: ProbingSettings = ProbingSettings(),
        hosts: String = "",
        automatic: Bool = false,
        setUp: (Testbed) throws -> Void = { _ in },
        _ body: (FaultScene) async throws -> Void
    ) async throws {
        try await Testbed.with { testbed in
            try testbed.base()
            try testbed.p("addr add 192.0.2.1/24 dev p0;link set lo up;route add local 198.51.100.0/24 dev lo")
            try setUp(testbed)
            let scene = try FaultScene(testbed, settings, hosts)
            defer { scene.strike() }
            scene.registry.apply(targets: targets, automatic: automatic)
            try await body(scene)
        }
    }

    private init(_ testbed: Testbed, _ settings: ProbingSettings, _ hosts: String) throws {
        self.testbed = testbed
        registry = Registry()
        var options = PathEngineOptions()
        options.sysfsRoot = "/nonexistent"
        folder = try TemporaryFolder()
        let files = ResolverConfigurationFiles(
            resolvConf: try folder.write("nameserver 198.51.100.53\noptions timeout:1 attempts:1\n", to: "resolv.conf"),
            hosts: try folder.write(hosts, to: "hosts"),
            nameServiceSwitch: try folder.write("hosts: files dns\n", to: "nsswitch.conf")
        )
        options.resolverFiles.configuration = files.resolvConf
        options.resolverFiles.hosts = files.hosts
        options.resolverFiles.nameServiceSwitch = files.nameServiceSwitch
        engine = try PathEngine(options: options, observer: registry, prologue: testbed.namespace.prologue)
        var settings = settings
        settings.spread = .milliseconds(100)
        probes = try ProbeMonitor(
            registry: registry,
            settings: settings,
            resolverFiles: files,
            prologue: testbed.namespace.prologue
        )
        registry.onEvents { [weak self] in self?.follow() }
        registry.connect(to: engine)
    }

    private func strike() {
        registry.disconnect()
        probes.close()
        engine.close()
    }

    private func follow() {
        let events = position.withLock { position in
            let slice = registry.changes(after: position, limit: 100_000)
            position = slice.head
            return slice.events
        }
        for event in events {
            guard case .state(let record, _) = event.content, let id = record.target?.settings.id else { continue }
            transitions.record(
                (id, record.state, "\(id): \(record.reason?.code.rawValue ?? ""): \(record.reason?.detail ?? "")")
            )
        }
    }

    /// Has the far end drop what comes for an address, without a word; `rule del to ADDRESS table 7 pref 0` ends it.
    func drop(_ address: String) throws {
        try testbed.p(
            """
            route add blackhole \(address) table 7;rule add to \(address) table 7 pref 0;\
            rule add from all lookup local pref 1;rule del pref 0 lookup local
            """
        )
    }

    /// Waits until a target is in a state, and returns what is known of it then.
    @discardableResult
    func settle(_ id: String, _ state: TargetState) async throws -> StatusRecord? {
        if registry.target(id)?.state != state {
            try await transitions.next { [registry] _ in registry.target(id)?.state == state }
        }
        return registry.target(id)
    }

    /// Waits until so many targets are in a state.
    func settle(_ count: Int, _ state: TargetState) async throws {
        guard registry.overview.counts[state] < count else { return }
        try await transitions.next { [registry] _ in registry.overview.counts[state] >= count }
    }
}

extension TargetSettings {
    /// A target that is asked often and judged by its first result.
    static func asked(
        _ id: String,
        _ host: ProbeHost,
        _ kind: ProbeKind,
        interval: Duration = .milliseconds(500),
        timeout: Duration = .milliseconds(300),
        latencyBound: Duration? = nil,
        fall: Int = 1
    ) throws -> TargetSettings {
        let target: PathTarget =
            switch host {
            case .address(let address): .address(address)
            case .name(let name): .name(name)
            }
        var request = ProbeRequest(host: host, kind: kind, timeout: timeout)
        request.latencyBound = latencyBound
        let verdict = try VerdictSettings(fall: fall, rise: 1, interval: interval, flapDetection: nil)
        return TargetSettings(
            id: id,
            request: PathRequest(target),
            text: "\(host)",
            probe: ProbePlan(.ask(request), verdict: verdict),
            origin: .config
        )
    }
}
