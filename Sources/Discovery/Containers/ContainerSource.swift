// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// The containers of an engine as targets: a list, and another one after each event that may have changed it.
package final class ContainerSource: DiscoverySource {
    /// Changes within this time are one list.
    private static let burst: Duration = .milliseconds(300)

    private let settings: ContainerSettings
    private let thread: SourceThread
    private let now: @Sendable () -> Int64

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - pauses: how it waits; tests do not.
    ///   - now: the time in nanoseconds since 1970, as the engine has it.
    package init(
        _ settings: ContainerSettings,
        pauses: any SourcePauses = SystemPauses(),
        now: @escaping @Sendable () -> Int64 = ContainerSource.realTime
    ) {
        self.settings = settings
        self.now = now
        thread = SourceThread(name: "reachd-docker", pauses: pauses)
    }

    /// See the protocol.
    package func start(_ report: @escaping @Sendable (SourceReport) -> Void) {
        thread.start(report) { [settings, now] thread in
            let engine = ContainerEngine(settings: settings, thread: thread)
            var targets = ContainerTargets(settings)
            var last: [DiscoveredItem]?
            var failures = Backoff(longest: settings.refresh)
            var pause = Duration.zero
            repeat {
                do throws(SourceError) {
                    let begin = now()
                    let items = targets.items(of: try engine.list())
                    guard !thread.isStopped else { return }
                    report(SourceReport(items: items == last ? nil : items, notes: targets.notes))
                    last = items
                    switch try engine.waitForChange(since: begin) {
                    case .changed, .silent:
                        failures.reset()
                        pause = Self.burst
                    // An engine that ends its streams at once is not asked without pauses.
                    case .closed: pause = failures.next()
                    }
                } catch {
                    guard !thread.isStopped else { return }
                    report(SourceReport(error: error))
                    pause = failures.next()
                }
            } while thread.pause(pause)
        }
    }

    /// See the protocol.
    package func stop() { thread.stop() }

    /// The time of the machine.
    @Sendable package static func realTime() -> Int64 {
        var now = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
