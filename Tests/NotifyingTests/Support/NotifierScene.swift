// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import History
import LinuxIO
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Notifying
import Synchronization
import TestSupport

/// A registry whose targets are what a test says, a log that outlives it, and a notifier.
final class NotifierScene: Sendable {
    let registry: Registry
    let notifier: Notifier
    /// The time of what happens.
    let wall = FakeClock()
    let source = FakeSource()
    let notes: Recorder<LogMessage>
    let history: HistoryRecorder?
    /// Whether the log cannot be opened now.
    private let isBroken: Switch
    private let timers = ManualClock()

    /// - Parameters:
    ///   - store: the log; nil: in memory only.
    ///   - isBroken: whether it cannot be opened until ``mend()``.
    ///   - targets: how many there are: t0, t1, …
    ///   - hasFleet: whether the node belongs to a fleet.
    init(
        _ receivers: [ReceiverSettings],
        store: (any EventStore)? = nil,
        isBroken: Bool = false,
        targets: Int = 3,
        capacity: Int = 65_536,
        hasFleet: Bool = false
    ) throws {
        let isBroken = Switch(isBroken)
        self.isBroken = isBroken
        var log = EventLogSettings()
        log.capacity = capacity
        let registry = Registry(log: log, clock: wall)
        let timers = timers
        let history = try store.map { store in
            let recorder = try HistoryRecorder(
                registry: registry,
                settings: HistorySettings(),
                open: { _ throws(HistoryError) in
                    guard !isBroken.isOn else { throw HistoryError(.full, "the test says so") }
                    return OpenedStore(store: store)
                },
                timers: timers,
                log: { _ in }
            )
            try recorder.start()
            return recorder
        }
        registry.beginIncidents(history?.incidents() ?? [])
        let notes = Recorder<LogMessage>()
        notifier = try Notifier(source: registry, hasFleet: hasFleet, ledger: history) { notes.record($0) }
        self.registry = registry
        self.history = history
        self.notes = notes
        registry.connect(to: source)
        registry.apply(
            targets: (0..<targets).map { .address("t\($0)", "198.51.\($0 / 200).\($0 % 200 + 1)", group: "g") }
        )
        notifier.apply(receivers)
    }

    deinit {
        stop()
    }

    func stop() {
        notifier.stop()
        registry.disconnect()
        history?.stop()
    }

    /// What the kernel says of targets.
    func path(_ path: NetworkPath, of targets: [Int]) {
        registry.report(path, of: targets.map { "t\($0)" }, source)
    }

    /// Lets the log be opened, and waits until it has everything.
    func mend() {
        isBroken.turnOff()
        while history?.isDurable == false {
            timers.advance(by: 1_000_000_000)
            // The loop looks at the clock when it has something to do.
            history?.apply(HistorySettings())
            sched_yield()
        }
    }

    func status(_ name: String = "hook") -> NotificationStatus? { notifier.statuses.first { $0.name == name } }
}

extension NetworkPath {
    /// A failure that each target has as an incident of its own.
    static var ownFault: NetworkPath { .down(.localAddressNotOurs) }
}
