// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Fleet
package import Monitoring
package import Probing
package import Traffic

extension RequestHandler {
    /// The API's connections to the rest of the service; fixed when the handler is created.
    package struct ServiceDependencies: Sendable {
        /// Runs a job, possibly later and on another thread, after the jobs before it.
        package typealias Executor = @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

        /// Wakes all streams for new bytes. Any thread; returns immediately.
        package var wakeStreams: @Sendable () -> Void
        /// Runs changes of targets and of the configuration, which wait for disks and for the path engine.
        package var write: Executor
        /// Runs reads of the history and of events that are not in memory, which wait for a disk, and makes the public page.
        package var read: Executor
        /// Reloads the configuration, inside ``write``; nil if there is none.
        package var reload: (@Sendable () -> ReloadOutcome)?
        /// Facts for the metrics from outside the handler; called for each scrape, and must not block.
        package var facts: @Sendable () -> ServiceFacts
        /// This node's standing in its fleet; nil without one.
        package var fleet: @Sendable () -> FleetStatus?
        /// Reads the fleet's targets and log; nil without a fleet.
        package var fleetReader: FleetReader?
        /// Reads declarations of the fleet's targets; nil if changes are not accepted.
        package var fleetBodies: (any FleetBodyReading)?
        /// Takes a heartbeat of a fleet's target that was evaluated here because it could not be stored. Any thread.
        package var keepHeartbeat: @Sendable (_ isFailure: Bool, _ detail: String?, _ target: String) -> Void

        /// Creates dependencies.
        ///
        /// - Parameters:
        ///   - wakeStreams: wakes all streams for new bytes; does nothing by default.
        ///   - write: runs changes; on the caller's thread by default.
        ///   - read: runs reads of the history and makes the public page; on the caller's thread by default.
        ///   - reload: reloads the configuration; nil if there is none.
        ///   - facts: further facts for the metrics; none by default.
        ///   - fleet: this node's standing in its fleet; none by default.
        ///   - fleetReader: reads the fleet; none by default.
        ///   - fleetBodies: reads declarations of the fleet's targets; none by default.
        ///   - keepHeartbeat: keeps a heartbeat that could not be stored; does nothing by default.
        package init(
            wakeStreams: @escaping @Sendable () -> Void = {},
            write: @escaping Executor = { $0() },
            read: @escaping Executor = { $0() },
            reload: (@Sendable () -> ReloadOutcome)? = nil,
            facts: @escaping @Sendable () -> ServiceFacts = { ServiceFacts() },
            fleet: @escaping @Sendable () -> FleetStatus? = { nil },
            fleetReader: FleetReader? = nil,
            fleetBodies: (any FleetBodyReading)? = nil,
            keepHeartbeat: @escaping @Sendable (Bool, String?, String) -> Void = { _, _, _ in }
        ) {
            self.wakeStreams = wakeStreams
            self.write = write
            self.read = read
            self.reload = reload
            self.facts = facts
            self.fleet = fleet
            self.fleetReader = fleetReader
            self.fleetBodies = fleetBodies
            self.keepHeartbeat = keepHeartbeat
        }
    }
}

/// The operator's settings of the API.
package struct APISettings: Sendable, Hashable {
    /// The host names of this server.
    package var hosts: HostRule = .any

    /// The initial access rules.
    package var access = AccessRules()

    /// The path prefix of all routes, such as `/reachd`; empty for none.
    package var basePath = ""

    /// The public status page at the start.
    package var publicPage = PublicPageSettings()

    /// Creates settings; everything has a default.
    package init(hosts: HostRule = .any, access: AccessRules = AccessRules()) {
        self.hosts = hosts
        self.access = access
    }
}

/// The service's description in `/status`, `/version` and `hello`.
package struct ServiceInformation: Sendable, Hashable {
    /// The program's name.
    package var name: String
    /// The program's version, as in semantic versioning.
    package var version: String
    /// When the process started.
    package var startedAt: Timestamp
    /// The name of its machine; nil if it is not shown.
    package var host: String?
    /// The configuration file; nil for none.
    package var configuration: String?
    /// Facts of the build: the commit, the compiler, the libraries' versions; names in snake_case.
    package var build: [String: String]

    /// Creates the information.
    package init(
        name: String = "reachd",
        version: String,
        startedAt: Timestamp,
        host: String? = nil,
        configuration: String? = nil,
        build: [String: String] = [:]
    ) {
        self.host = host
        self.configuration = configuration
        self.name = name
        self.version = version
        self.startedAt = startedAt
        self.build = build
    }
}

/// Runs the probes. All members may be called on any thread.
package protocol ProbeControl: AnyObject, Sendable {
    /// The activity indicator.
    var activity: ActivityStatus { get }
    /// Statistics of the schedule; must not block.
    var statistics: ProbingStatistics { get }
    /// Probes a target now.
    ///
    /// - Parameter completion: called once, on any thread, possibly inside this call; with nil if there was no result.
    func probe(_ id: String, completion: @escaping @Sendable (ProbeReport?) -> Void)
    /// Probes a host that is not a target; completion as for ``probe(_:completion:)``.
    func ask(_ request: ProbeRequest, completion: @escaping @Sendable (ProbeResult?) -> Void)
    /// Applies a target's heartbeat; completion as for ``probe(_:completion:)``.
    func heartbeat(_ id: String, _ result: ProbeResult, completion: @escaping @Sendable (ProbeReport?) -> Void)
    /// Traces the path to a target now; completion as for ``probe(_:completion:)``.
    func trace(_ id: String, completion: @escaping @Sendable (TargetTrace?) -> Void)
    /// The traces of a target; nil without any. Must not block.
    func traces(of id: String) -> TargetTraces?
    /// When the next probe of a target is due; nil while none is planned. Must not block.
    func nextProbe(of target: DeclaredTarget) -> Timestamp?
    /// Whether this machine's connections are observed. Must not block.
    var trafficStatus: TrafficStatus { get }
    /// This machine's connections to and from a target; nil when they are not observed. Must not block.
    func traffic(of id: String) -> TargetTraffic?
    /// The sums of ``traffic(of:)``. Must not block.
    func trafficSummary(of id: String) -> TrafficSummary?
    /// Reads the connections to a target that hang; completion as for ``probe(_:completion:)``.
    func hangingConnections(
        of id: String,
        completion: @escaping @Sendable (Result<HangingConnections, TrafficError>?) -> Void
    )
}

extension ProbeMonitor: ProbeControl {}
