// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Logging
import Synchronization

/// Notifies a service manager at regular times that the threads which clients depend on take work, `sd_watchdog_enabled(3)`.
///
/// A round asks every thread to call back, and the manager is notified when all have. A thread that hangs gets no further
/// work from here: the log names it, the manager gets no notification, and restarts the service. The threads that may wait for a
/// disk are not checked: monitoring continues without it.
final class Watchdog: Sendable {
    /// Threads that have to call back.
    struct Watched: Sendable {
        /// As the log calls them.
        let name: String
        /// Calls back when the threads have done the work that they had.
        let ping: @Sendable (@escaping @Sendable () -> Void) -> Void
    }

    private struct Round {
        var missing: Set<String> = []
        var isTold = false
        var isStopped = false
    }

    private let period: UInt64
    private let notifier: ServiceNotifier
    private let loop: EventLoop
    private let log: Logger
    private let watched: [Watched]
    private let round = Mutex(Round())

    /// How often to say something, in nanoseconds: half of the time in which the manager of a process with these variables wants to
    /// hear of it; nil when nobody waits.
    static func period(_ environment: [String: String]) -> UInt64? {
        guard let time = environment["WATCHDOG_USEC"].flatMap(UInt64.init),
            (2...UInt64(Int64.max) / 1_000).contains(time)
        else { return nil }
        // Variables are inherited: those of another process are not meant.
        if let process = environment["WATCHDOG_PID"], process != "\(getpid())" { return nil }
        return time / 2 * 1_000
    }

    /// - Parameters:
    ///   - period: How often, in nanoseconds.
    ///   - loop: Where rounds begin, and nothing else is done: it must not wait for a disk either. Ends with ``stop()``.
    init(period: UInt64, notifier: ServiceNotifier, loop: EventLoop, log: Logger, watched: [Watched]) {
        self.period = period
        self.notifier = notifier
        self.loop = loop
        self.log = log
        self.watched = watched
    }

    /// Begins with the first round.
    func start() {
        loop.execute { [self] in turn() }
    }

    /// Ends the rounds: threads that end do not call back.
    func stop() {
        round.withLock { $0.isStopped = true }
        loop.close()
    }

    private func turn() {
        let (begins, hanging, isStopped) = round.withLock { round -> (Bool, Set<String>, Bool) in
            guard !round.isStopped else { return (false, [], true) }
            guard round.missing.isEmpty else {
                defer { round.isTold = true }
                return (false, round.isTold ? [] : round.missing, false)
            }
            round.missing = Set(watched.map(\.name))
            round.isTold = false
            return (true, [], false)
        }
        guard !isStopped else { return }
        for name in hanging.sorted() {
            log.error(
                "a thread is not responding; withholding the systemd watchdog ping",
                metadata: ["thread": "\(name)"]
            )
        }
        _ = loop.schedule(after: period) { [weak self] in self?.turn() }
        guard begins else { return }
        for threads in watched {
            threads.ping { [weak self] in self?.returned(threads.name) }
        }
    }

    private func returned(_ name: String) {
        let isComplete = round.withLock { round in
            round.missing.remove(name)
            return round.missing.isEmpty && !round.isStopped
        }
        if isComplete { notifier.alive() }
    }
}
