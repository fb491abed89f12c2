// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Fleet
package import HTTPServer
package import History
package import LinuxIO
package import Monitoring
package import NetworkPaths
import Notifying

/// Metrics of reachd itself: everything that does not depend on the number of targets.
struct ServiceMetrics {
    let service: ServiceInformation
    let overview: RegistryOverview
    /// The oldest kept event.
    let oldestSequence: UInt64
    let probing: ProbingStatistics?
    let traffic: TrafficStatus
    let anchors: AnchorCounts?
    let uplinks: [Uplink]
    let incidents: IncidentTally?
    let subscribers: Int
    let pendingWrites: Int
    let scrapes: ProbeScrapes.Counts
    let rollups: RollupStatus?
    let receivers: [NotificationStatus]
    let fleet: FleetStatus?
    let skippedFleetRollups: UInt64
    let facts: ServiceFacts

    func write(to writer: inout MetricsWriter) {
        writeService(&writer)
        writeNetwork(&writer)
        UplinkMetrics.write(uplinks, &writer)
        if let incidents { IncidentMetrics.write(incidents, &writer) }
        writeProbing(&writer)
        TrafficMetrics.write(traffic, &writer)
        writeEvents(&writer)
        ReceiverMetrics.write(receivers, &writer)
        if let fleet { FleetMetrics.write(fleet, skippedRollups: skippedFleetRollups, &writer) }
        DiscoveryMetrics.write(facts.discovery, &writer)
        if let paths = facts.paths { Self.write(paths, &writer) }
        if let server = facts.server { ServerMetrics.write(server, &writer) }
        if let process = facts.process { ProcessMetrics.write(process, &writer) }
    }

    // MARK: The service

    private func writeService(_ writer: inout MetricsWriter) {
        writer.begin(MetricFamily("reachd_build", kind: .info, "Build of this reachd."))
        writer.open()
        writer.label("version", service.version)
        for (name, value) in service.build.sorted(by: { $0.key < $1.key }) where name != "version" {
            writer.label(named: name, value)
        }
        writer.close(1)
        writer.begin(MetricFamily("reachd_ready", "Whether every target has been evaluated."))
        writer.sample(overview.isReady ? 1 : 0)
        writer.begin(MetricFamily("reachd_targets", "Number of targets in each state."))
        for state in TargetState.allCases {
            writer.open()
            writer.label("state", state.rawValue)
            writer.close(overview.counts[state])
        }
        writer.begin(MetricFamily("reachd_targets_unevaluated", "Targets that wait for their first evaluation."))
        writer.sample(overview.awaiting)
        writer.begin(
            MetricFamily("reachd_transitions", kind: .counter, "Number of changes of targets to each state.")
        )
        for state in TargetState.allCases {
            writer.open()
            writer.label("to", state.rawValue)
            writer.close(overview.transitions[state])
        }
        guard let reload = facts.reload else { return }
        writer.begin(
            MetricFamily(
                "reachd_config_last_reload_successful",
                "Whether the last loaded configuration is in force."
            )
        )
        writer.sample(reload.isSuccessful ? 1 : 0)
        writer.begin(
            MetricFamily(
                "reachd_config_last_reload_success_timestamp_seconds",
                "When the configuration in force was loaded."
            )
        )
        writer.sample([], reload.at)
    }

    // MARK: The machine's own network

    private func writeNetwork(_ writer: inout MetricsWriter) {
        let network = overview.network
        writer.begin(MetricFamily("reachd_network_reachable", "Whether packets can leave by the default path."))
        writer.sample(network.status.isReachable ? 1 : 0)
        writer.begin(
            MetricFamily(
                "reachd_network_status_code",
                "Status of the default path: -1 unknown, 0 not reachable, 1 via WWAN, 2 via Wi-Fi or another local network."
            )
        )
        writer.sample(network.status.rawValue)
        guard let path = network.path else { return }
        writer.begin(MetricFamily("reachd_network_path", kind: .info, "The default path."))
        writer.open()
        writer.pathLabels(path)
        writer.close(1)
        writer.begin(MetricFamily("reachd_network_path_flags", "SCNetworkReachabilityFlags of the path, as a number."))
        writer.sample(path.flags.rawValue)
        writer.begin(
            MetricFamily("reachd_network_path_generation", "Number that grows with each change of the default path.")
        )
        writer.sample(path.generation)
    }

    // MARK: Probes

    private func writeProbing(_ writer: inout MetricsWriter) {
        if let probing {
            writer.begin(MetricFamily("reachd_probes_started", kind: .counter, "Probes of targets that were started."))
            writer.sample(probing.started)
            writer.begin(MetricFamily("reachd_probes_finished", kind: .counter, "Probes of targets that had a result."))
            writer.sample(probing.finished)
            writer.begin(MetricFamily("reachd_probes_missed", kind: .counter, "Probes that could not start in time."))
            writer.sample(probing.missed)
            writer.begin(
                MetricFamily(
                    "reachd_probes_hinted",
                    kind: .counter,
                    "Probes that a failed connection of this machine started at once."
                )
            )
            writer.sample(probing.hinted)
            writer.begin(MetricFamily("reachd_probes_in_flight", "Probes of targets that are running."))
            writer.sample(probing.inFlight)
            writer.begin(MetricFamily("reachd_probes_waiting", "Probes of targets that are due and wait for a slot."))
            writer.sample(probing.waiting)
            writer.begin(MetricFamily("reachd_suspensions", kind: .counter, "Times that the machine was suspended."))
            writer.sample(probing.suspensions)
            writer.begin(
                MetricFamily(
                    "reachd_scheduler_lag_seconds",
                    "Delay of the starts of the last probes, at most 4096 of them."
                )
            )
            for (name, lag) in [("median", probing.medianLag), ("p99", probing.lag99), ("max", probing.longestLag)] {
                writer.open()
                writer.label("statistic", name)
                writer.close(nanoseconds: lag.nanoseconds)
            }
        }
        if let anchors {
            writer.begin(MetricFamily("reachd_anchors_up", "Anchors that answer."))
            writer.sample(anchors.up)
            writer.begin(MetricFamily("reachd_anchors_down", "Anchors that do not answer."))
            writer.sample(anchors.down)
            writer.begin(MetricFamily("reachd_internet_down", "Whether too few anchors answer."))
            writer.sample(anchors.isInternetDown ? 1 : 0)
        }
        writer.begin(MetricFamily("reachd_probe_scrapes", kind: .counter, "Responses of /probe by result."))
        for (name, count) in [
            ("success", scrapes.successes), ("failure", scrapes.failures), ("refused", scrapes.refusals),
            ("overloaded", scrapes.overloads),
        ] {
            writer.open()
            writer.label("result", name)
            writer.close(count)
        }
        writer.begin(MetricFamily("reachd_probe_scrapes_in_flight", "Probes of /probe that are running."))
        writer.sample(scrapes.inFlight)
    }

    // MARK: Events

    private func writeEvents(_ writer: inout MetricsWriter) {
        writer.begin(MetricFamily("reachd_event_log_sequence", "Sequence number of the newest event."))
        writer.sample(overview.sequence)
        writer.begin(MetricFamily("reachd_event_log_oldest_sequence", "Sequence number of the oldest kept event."))
        writer.sample(oldestSequence)
        writer.begin(MetricFamily("reachd_stream_subscribers", "Open event streams."))
        writer.sample(subscribers)
        writer.begin(MetricFamily("reachd_writes_pending", "Changes over HTTP that wait to be applied."))
        writer.sample(pendingWrites)
        if let history = facts.history, history.state != .off { Self.write(history, &writer) }
        if let rollups { Self.write(rollups, &writer) }
    }

    private static func write(_ rollups: RollupStatus, _ writer: inout MetricsWriter) {
        writer.begin(MetricFamily("reachd_rollups_written", "Whether the statistics per minute can be written."))
        writer.sample(rollups.failure == nil ? 1 : 0)
        writer.begin(MetricFamily("reachd_rollups_waiting", "Minutes of statistics that wait to be written."))
        writer.sample(rollups.waiting)
        writer.begin(
            MetricFamily(
                "reachd_rollups_lost",
                kind: .counter,
                "Minutes of statistics that were lost before they were written."
            )
        )
        writer.sample(rollups.lost)
        writer.begin(MetricFamily("reachd_rollups_size_bytes", "Disk space of the rollups."))
        writer.sample(rollups.bytes)
    }

    private static func write(_ history: HistoryStatus, _ writer: inout MetricsWriter) {
        writer.begin(MetricFamily("reachd_history_durable", "Whether events are written before clients see them."))
        writer.sample(history.state == .ok ? 1 : 0)
        writer.begin(MetricFamily("reachd_history_waiting_events", "Events that wait to be written."))
        writer.sample(history.waiting)
        writer.begin(MetricFamily("reachd_history_errors", kind: .counter, "Errors of the event store."))
        writer.sample(history.failures)
        writer.begin(MetricFamily("reachd_history_lost_events", kind: .counter, "Events that were never written."))
        writer.sample(history.lost)
        writer.begin(MetricFamily("reachd_history_size_bytes", "Disk space of the events."))
        writer.sample(history.bytes)
    }

    // MARK: Paths

    private static func write(_ paths: PathEngineStatistics, _ writer: inout MetricsWriter) {
        writer.begin(MetricFamily("reachd_netlink_messages", kind: .counter, "Messages read from the kernel."))
        writer.sample(paths.messages)
        writer.begin(
            MetricFamily(
                "reachd_netlink_overruns",
                kind: .counter,
                "Number of times that the kernel dropped messages, after which everything was queried again."
            )
        )
        writer.sample(paths.overruns)
        writer.begin(MetricFamily("reachd_netlink_receive_buffer_bytes", "Receive buffer granted by the kernel."))
        writer.sample(paths.receiveBuffer)
        writer.begin(MetricFamily("reachd_path_passes", kind: .counter, "Passes over targets after network changes."))
        writer.sample(paths.passes)
        writer.begin(MetricFamily("reachd_path_verdicts", kind: .counter, "Paths that were looked up and evaluated."))
        writer.sample(paths.verdicts)
    }
}

extension MetricsWriter {
    /// Writes one sample without labels.
    fileprivate mutating func sample(_ value: some FixedWidthInteger) { sample([], value) }
}

/// Facts of the service from outside the handler, for the metrics; what is nil is omitted.
package struct ServiceFacts: Sendable {
    /// The HTTP server.
    package var server: HTTPServerStatistics?
    /// The path engine.
    package var paths: PathEngineStatistics?
    /// The process.
    package var process: ProcessStatistics?
    /// The durable event log.
    package var history: HistoryStatus?
    /// The last load of the configuration.
    package var reload: Reload?
    /// The discovery sources, in the order of the configuration.
    package var discovery: [DiscoverySourceStatus] = []

    /// The outcome of loading the configuration.
    package struct Reload: Sendable {
        /// Whether the last one is in force.
        package var isSuccessful: Bool
        /// When the configuration in force was loaded.
        package var at: Timestamp

        /// Creates facts.
        package init(isSuccessful: Bool, at: Timestamp) {
            self.isSuccessful = isSuccessful
            self.at = at
        }
    }

    /// Without any facts.
    package init() {}
}

/// Metrics of the process, under Prometheus' standard names.
enum ProcessMetrics {
    static func write(_ process: ProcessStatistics, _ writer: inout MetricsWriter) {
        writer.begin(MetricFamily("process_cpu_seconds", kind: .counter, "User and system CPU time."))
        writer.open()
        writer.close(process.processorSeconds)
        writer.begin(MetricFamily("process_start_time_seconds", "When the process started."))
        writer.open()
        writer.close(process.startTime)
        let gauges: [(StaticString, StaticString, UInt64?)] = [
            ("process_virtual_memory_bytes", "Virtual memory.", process.virtualBytes),
            ("process_resident_memory_bytes", "Resident memory.", process.residentBytes),
            ("process_threads", "Threads.", process.threads),
            ("process_open_fds", "Open file descriptors.", process.openDescriptors),
            ("process_max_fds", "Maximum number of open file descriptors.", process.maximumDescriptors),
        ]
        for (name, help, value) in gauges {
            guard let value else { continue }
            writer.begin(MetricFamily(name, help))
            writer.sample([], value)
        }
    }
}
