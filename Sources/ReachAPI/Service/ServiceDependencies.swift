// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
package import Probing

extension RequestHandler {
    /// How the interface reaches what runs beside it; fixed when the handler is created.
    package struct ServiceDependencies: Sendable {
        /// Runs a job, possibly later and on another thread, after the jobs that it was given before.
        package typealias Executor = @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

        /// Has the server ask all streams for new bytes. Any thread; returns at once.
        package var wakeStreams: @Sendable () -> Void
        /// Runs changes of targets and of the configuration, which wait for disks and for the path engine.
        package var write: Executor
        /// Runs reads of the history and of events that are not in memory, which wait for a disk.
        package var read: Executor
        /// Reads the configuration again, inside ``write``; nil where there is none.
        package var reload: (@Sendable () -> ReloadOutcome)?
        /// What the metrics show besides what the handler knows itself; called for each scrape, and must not wait.
        package var facts: @Sendable () -> ServiceFacts

        /// Wires a handler.
        ///
        /// - Parameters:
        ///   - wakeStreams: has the server ask all streams for new bytes; does nothing unless given.
        ///   - write: runs changes; on the caller's thread unless given.
        ///   - read: runs reads of the history; on the caller's thread unless given.
        ///   - reload: reads the configuration again; nil where there is none.
        ///   - facts: what the metrics show besides; nothing unless given.
        package init(
            wakeStreams: @escaping @Sendable () -> Void = {},
            write: @escaping Executor = { $0() },
            read: @escaping Executor = { $0() },
            reload: (@Sendable () -> ReloadOutcome)? = nil,
            facts: @escaping @Sendable () -> ServiceFacts = { ServiceFacts() }
        ) {
            self.wakeStreams = wakeStreams
            self.write = write
            self.read = read
            self.reload = reload
            self.facts = facts
        }
    }
}

/// What the operator may set about the API.
package struct APISettings: Sendable, Hashable {
    /// Which names a request may call this server by.
    package var hosts: HostRule = .any

    /// Who may do what, to begin with.
    package var access = AccessRules()

    /// The path that all routes are below, such as `/reachd`; empty for none.
    package var basePath = ""

    /// Creates settings; everything has a default.
    package init(hosts: HostRule = .any, access: AccessRules = AccessRules()) {
        self.hosts = hosts
        self.access = access
    }
}

/// What the service says of itself in `/status`, `/version` and `hello`.
package struct ServiceInformation: Sendable, Hashable {
    /// The program's name.
    package var name: String
    /// The program's version, as in semantic versioning.
    package var version: String
    /// When the process started.
    package var startedAt: Timestamp
    /// Facts of the build: the commit, the compiler, the libraries' versions; names in snake_case.
    package var build: [String: String]

    /// Creates the information.
    package init(name: String = "reachd", version: String, startedAt: Timestamp, build: [String: String] = [:]) {
        self.name = name
        self.version = version
        self.startedAt = startedAt
        self.build = build
    }
}

/// Who runs the probes, as far as the interface needs it. Any thread's to call.
package protocol ProbeControl: AnyObject, Sendable {
    /// The activity indicator.
    var activity: ActivityStatus { get }
    /// How the schedule is kept; must not wait for anybody.
    var statistics: ProbingStatistics { get }
    /// Probes a target now.
    ///
    /// - Parameter completion: called once, on any thread, possibly from inside this call; with nil when there was no result.
    func probe(_ id: String, completion: @escaping @Sendable (ProbeReport?) -> Void)
    /// Asks somebody who is no target; completion as for ``probe(_:completion:)``.
    func ask(_ request: ProbeRequest, completion: @escaping @Sendable (ProbeResult?) -> Void)
    /// Takes a target's heartbeat; completion as for ``probe(_:completion:)``.
    func heartbeat(_ id: String, _ result: ProbeResult, completion: @escaping @Sendable (ProbeReport?) -> Void)
}

extension ProbeMonitor: ProbeControl {}
