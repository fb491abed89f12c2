// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import MonitoringTestSupport
import NetworkPaths
import Probing
import Synchronization

@testable import Monitoring

/// A registry, a driver, a fake kernel and a world in which time goes on when it is told to.
final class DriverScene {
    let world = VirtualWorld()
    let registry: Registry
    let source = FakeSource()
    private(set) var activity = ActivityStatus.idle
    /// The states that streams were told of, in order.
    private(set) var activityStates: [ActivityState] = []
    private(set) var record = ScheduleRecord()
    private let isAwaited = Flag()
    private var driverOrNil: ProbeDriver<VirtualWorld>?

    /// What a listener on any thread may set.
    private final class Flag: Sendable {
        let value = Mutex(false)
    }

    let traces = TraceStore()
    let nextProbes = NextProbes()

    var driver: ProbeDriver<VirtualWorld> {
        guard let driverOrNil else { preconditionFailure("made in init") }
        return driverOrNil
    }

    init(
        _ settings: ProbingSettings = ProbingSettings(),
        log: EventLogSettings = EventLogSettings(),
        connections: FakeTraffic? = nil
    ) {
        world.connections = connections
        registry = Registry(log: log, clock: world.clock, epoch: "aa")
        let isAwaited = isAwaited
        registry.onEvents { isAwaited.value.withLock { $0 = true } }
        registry.connect(to: source)
        registry.setAnchors(settings.anchors, quorum: settings.quorum)
        driverOrNil = ProbeDriver(
            registry: registry,
            world: world,
            settings: settings,
            traces: traces,
            nextProbes: nextProbes,
            activity: { [unowned self] status, isTransition in
                activity = status
                if isTransition { activityStates.append(status.state) }
            },
            statistics: { [unowned self] in record = $0 }
        )
        world.afterStep = { [unowned self] in applyCommands() }
    }

    func applyCommands() {
        while isAwaited.value.withLock({ isAwaited in
            defer { isAwaited = false }
            return isAwaited
        }) {
            driver.applyCommands()
        }
    }

    func apply(_ targets: [TargetSettings]) {
        registry.apply(targets: targets)
        applyCommands()
    }

    /// Lets time go on.
    func advance(_ duration: Duration) {
        world.advance(duration)
        applyCommands()
    }

    /// What the kernel says of a target, or of all.
    func path(_ path: NetworkPath, of ids: [String]? = nil) {
        // Several targets may ask the same, each with a handle of its own.
        let places = registry.state.withLock { $0.table.places }
        let updates = places.compactMap { place -> PathUpdate? in
            guard let record = place.record, let settings = record.target?.settings,
                ids?.contains(settings.id) ?? true, let handle = place.pathID
            else { return nil }
            return PathUpdate(id: handle, path: path, previous: record.path, trigger: ChangeTrigger(.initial))
        }
        registry.pathsDidChange(updates)
        applyCommands()
    }

    func state(_ id: String) -> TargetState? { registry.target(id)?.state }

    func reason(_ id: String) -> String? { registry.target(id)?.reason?.code.rawValue }

    func cause(_ id: String) -> StateCause? { registry.target(id)?.reason?.cause }

    /// The changes of a target's state so far.
    func transitions(_ id: String) -> [TargetState] {
        registry.changes(after: 0, limit: .max).events.compactMap { event in
            guard case .state(let record, let previous) = event.content, record.target?.settings.id == id,
                record.state != previous.state
            else { return nil }
            return record.state
        }
    }

    /// How often an address was asked.
    func starts(_ address: String) -> Int {
        world.starts.count { $0.request.host == .address(IPAddress(address) ?? IPAddress(ipv4: 0)) }
    }
}

extension TargetSettings {
    /// A target whose tcp port is probed.
    static func probed(
        _ id: String,
        _ address: String = "198.51.100.1",
        interval: Duration = .seconds(10),
        fall: Int = 3,
        rise: Int = 2,
        dependsOn: [String] = [],
        maintenance: [MaintenanceWindow] = []
    ) throws -> TargetSettings {
        let request = ProbeRequest(
            host: .address(IPAddress(address) ?? IPAddress(ipv4: 0)),
            kind: .tcp(TCPProbeSettings(port: 80)),
            timeout: min(interval, .seconds(5))
        )
        var settings = TargetSettings.address(id, address)
        settings.probe = ProbePlan(
            .ask(request),
            verdict: try VerdictSettings(fall: fall, rise: rise, interval: interval),
            jitter: 0
        )
        settings.dependsOn = dependsOn
        settings.maintenance = maintenance
        return settings
    }
}
