// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Schema
import Synchronization

/// Targets of the objects in a Kubernetes cluster, which it watches.
package final class KubernetesSource: DiscoverySource {
    /// Changes within this time are one report.
    private static let burst = Duration.milliseconds(200)

    private let watchers: [(watcher: KubernetesWatcher, thread: SourceThread)]
    private let reporter: SourceThread
    private let signal: KubernetesSignal

    /// Creates a source.
    package convenience init(_ settings: KubernetesSettings) {
        self.init(settings, server: KubernetesHTTPServer(settings.server))
    }

    /// - Parameters:
    ///   - server: The API server.
    ///   - clock: The time of failures and lists.
    ///   - limits: The machines' intervals and limits.
    ///   - thread: Creates a thread with a name.
    init(
        _ settings: KubernetesSettings,
        server: any KubernetesServer,
        clock: any MonotonicClock = SystemMonotonicClock(),
        limits: KubernetesWatchMachine.Limits = .init(),
        thread: (String) -> SourceThread = { SourceThread(name: $0) }
    ) {
        var limits = limits
        limits.resync = settings.resync.nanoseconds
        let signal = KubernetesSignal()
        self.signal = signal
        reporter = thread("reachd-k8s")
        var watchers: [(KubernetesWatcher, SourceThread)] = []
        for resource in settings.watchedResources {
            let isWhole = settings.namespaces.isEmpty || !resource.isNamespaced
            let namespaces: [String?] = isWhole ? [nil] : settings.namespaces
            for namespace in namespaces {
                let targets = KubernetesTargets(of: resource, settings)
                let machine = KubernetesWatchMachine(resource, in: namespace, targets, limits: limits)
                let watcher = KubernetesWatcher(machine, settings, server: server, clock: clock, changed: signal.post)
                watchers.append((watcher, thread("reachd-k8s")))
            }
        }
        self.watchers = watchers
    }

    /// See the protocol.
    package func start(_ report: @escaping @Sendable (SourceReport) -> Void) {
        for (watcher, thread) in watchers { thread.start(report) { watcher.run($0) } }
        let watchers = watchers.map(\.watcher)
        reporter.start(report) { [signal] thread in
            var reports = KubernetesReports()
            while !thread.isStopped {
                signal.wait()
                guard thread.pause(Self.burst) else { return }
                signal.clear()
                if let made = reports.report(watchers.map(\.state)), !thread.isStopped { report(made) }
            }
        }
    }

    /// See the protocol.
    package func stop() {
        for (_, thread) in watchers { thread.stop() }
        reporter.stop()
        signal.post()
    }
}

/// A signal that is set or not, for one waiting thread.
final class KubernetesSignal: Sendable {
    private let isSet = Atomic(false)
    private let semaphore = Semaphore()

    /// Sets it. Any thread.
    @Sendable func post() {
        if !isSet.exchange(true, ordering: .acquiringAndReleasing) { semaphore.post() }
    }

    /// Waits until it is set.
    func wait() { semaphore.wait() }

    /// Clears it, after ``wait()`` and before what it announces is read.
    func clear() { isSet.store(false, ordering: .sequentiallyConsistent) }
}
