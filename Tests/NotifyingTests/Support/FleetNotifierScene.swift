// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import LinuxIO
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Notifying
import TestSupport

/// A node of an ``ImitatedFleet`` with its own log and its notifier. Its targets t0, t1, … are the fleet's.
final class FleetNotifierScene: Sendable {
    let node: ImitatedNode
    let registry: Registry
    let notifier: FleetNotifier
    let notes = Recorder<LogMessage>()
    private let source = FakeSource()
    private let history: HistoryRecorder?
    private let timers = ManualClock()
    private let receivers: [ReceiverSettings]

    /// - Parameter store: the node's log; nil: in memory only.
    init(
        _ name: String,
        in location: String = "berlin",
        of fleet: ImitatedFleet,
        _ receivers: [ReceiverSettings],
        store: (any EventStore)? = nil,
        targets: Int = 3
    ) throws {
        let wall = FakeClock()
        let registry = Registry(log: EventLogSettings(), clock: wall)
        let history = try store.map { store in
            let recorder = try HistoryRecorder(
                registry: registry,
                settings: HistorySettings(),
                open: { _ throws(HistoryError) in OpenedStore(store: store) },
                timers: ManualClock(),
                log: { _ in }
            )
            try recorder.start()
            return recorder
        }
        node = ImitatedNode(name, in: location, of: fleet)
        notifier = FleetNotifier(
            FleetNotifier.Parts(
                receivers: node,
                reader: node,
                source: registry,
                ledger: history,
                clock: wall,
                timers: timers,
                log: { [notes] in notes.record($0) }
            )
        )
        (self.registry, self.history, self.receivers) = (registry, history, receivers)
        registry.beginIncidents(history?.incidents() ?? [])
        registry.connect(to: source)
        registry.apply(
            targets: (0..<targets).map { number in
                var target = TargetSettings.address("t\(number)", "198.51.0.\(number + 1)")
                target.origin = .fleet
                return target
            }
        )
        registry.report(.up(), of: (0..<targets).map { "t\($0)" }, source)
        notifier.apply(receivers)
    }

    deinit { stop() }

    func stop() {
        notifier.stop()
        registry.disconnect()
        history?.stop()
    }

    /// This node sees targets as unreachable, or as up.
    func see(_ targets: [String], up isUp: Bool) {
        registry.report(isUp ? .up(generation: 9) : .down(), of: targets, source)
    }

    /// Returns when everything that was noted before is done.
    func settle() {
        notifier.apply(receivers)
        notifier.apply(receivers)
    }

    /// Lets time pass.
    func advance(_ duration: Duration) {
        timers.advance(by: UInt64(duration.components.seconds) * second)
        settle()
    }
}

extension Registry {
    /// What the kernel says of targets.
    func report(_ path: NetworkPath, of targets: [String], _ source: FakeSource) {
        let updates = self.targets(Set(targets)).records.compactMap { record -> PathUpdate? in
            guard let request = record.target?.settings.request, let id = source.id(request) else { return nil }
            return PathUpdate(id: id, path: path, previous: record.path, trigger: ChangeTrigger(.initial))
        }
        pathsDidChange(updates)
    }
}
