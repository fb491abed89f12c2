// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Fleet
import History
import JSON
import Monitoring
import NetworkPaths
import Notifying

/// What `/status` reports of the fleet.
struct ReportedFleet {
    /// The nodes whose targets the answer counts.
    let scope: ReportScope
    /// This node's standing.
    let status: FleetStatus
    /// The fleet's targets; nil in the node's scope, and while the database cannot be read.
    var summary: FleetSummary?
}

/// The body of `/status`.
extension JSONWriter {
    mutating func statusBody(
        _ overview: RegistryOverview,
        service: ServiceInformation,
        activity: ActivityStatus,
        probing: ProbingStatistics?,
        anchors: AnchorCounts?,
        netlink: PathEngineStatistics?,
        history: HistoryStatus,
        rollups: RollupStatus?,
        notifications: [NotificationStatus],
        discovery: [DiscoverySourceStatus] = [],
        uptimeMilliseconds: UInt64,
        generatedAt: Timestamp,
        fleet: ReportedFleet? = nil
    ) {
        object { writer in
            writer.member("service") {
                $0.member("name", service.name)
                $0.member("version", service.version)
                if let host = service.host { $0.member("host", host) }
                if let configuration = service.configuration { $0.member("configuration", configuration) }
                $0.member("started_at", service.startedAt)
                $0.key("uptime_seconds")
                $0.seconds(milliseconds: uptimeMilliseconds)
            }
            if let fleet {
                writer.member("scope", fleet.scope.rawValue)
                writer.member("fleet") { $0.fleetMembers(fleet.status) }
            }
            let isOfNode = fleet.map { $0.scope == .node } ?? true
            if isOfNode {
                writer.member("epoch", overview.epoch)
                writer.member("sequence", overview.sequence)
            } else if let version = fleet?.summary?.version {
                writer.member("epoch", version.epoch)
                writer.member("sequence", version.sequence)
            }
            writer.member("generated_at", generatedAt)
            writer.member("network") { $0.network(overview.network, resolvers: overview.resolvers) }
            if isOfNode {
                writer.summary(of: overview.counts.total) { overview.counts[$0] }
            } else if let summary = fleet?.summary {
                writer.summary(of: summary.total) { summary.states[$0] ?? 0 }
            }
            writer.member("activity") { $0.activityMembers(activity) }
            if let probing { writer.member("probing") { $0.probingMembers(probing) } }
            writer.member("history") { $0.historyMembers(history, rollups: rollups) }
            if let netlink { writer.member("netlink") { $0.netlinkMembers(netlink) } }
            writer.key("notifications")
            writer.array(notifications) { $0.notification($1) }
            if !discovery.isEmpty {
                writer.key("discovery")
                writer.array(discovery) { $0.discoverySource($1) }
            }
            if let anchors {
                writer.member("anchors") {
                    $0.member("up", anchors.up)
                    $0.member("down", anchors.down)
                    $0.member("total", anchors.total)
                    $0.member("quorum", anchors.quorum)
                    $0.member("is_internet_down", anchors.isInternetDown)
                }
            }
        }
    }

    private mutating func summary(of total: Int, _ count: (TargetState) -> Int) {
        member("summary") { writer in
            for state in TargetState.allCases { writer.member(named: state.rawValue, count(state)) }
            writer.member("total", total)
        }
    }

    /// The subscription to the kernel's changes.
    private mutating func netlinkMembers(_ netlink: PathEngineStatistics) {
        member("namespace") { writer in
            writer.member("inode", netlink.namespaceInode)
            if let name = netlink.namespaceName { writer.member("name", name) }
        }
        key("groups")
        array(netlink.groupNames) { $0.string($1) }
        member("receive_buffer_bytes", netlink.receiveBuffer)
        member("messages", netlink.messages)
        member("overruns", netlink.overruns)
        if let moment = netlink.lastMessage { member("last_message_at", Timestamp(milliseconds: moment)) }
    }
}

extension JSONWriter {
    /// The activity indicator (A1).
    mutating func activityMembers(_ activity: ActivityStatus) {
        member("state", activity.state.name)
        member("visible", activity.isVisible)
        member("count", activity.count)
    }

    /// The state of the probe scheduler.
    mutating func probingMembers(_ statistics: ProbingStatistics) {
        member("started", statistics.started)
        member("finished", statistics.finished)
        member("missed", statistics.missed)
        member("suspensions", statistics.suspensions)
        member("lag") {
            $0.member("p50_seconds", statistics.medianLag)
            $0.member("p99_seconds", statistics.lag99)
            $0.member("max_seconds", statistics.longestLag)
        }
    }
}

/// The state of the durable event log, in `/status` and `/readyz`.
extension JSONWriter {
    mutating func historyMembers(_ history: HistoryStatus, rollups: RollupStatus? = nil) {
        member("state", history.state.rawValue)
        guard history.state != .off else { return }
        member("since", history.since)
        if let failure = history.failure { member("reason") { $0.reasonMembers(failure.code) } }
        member("waiting", history.waiting)
        member("failures", history.failures)
        member("lost", history.lost)
        if let oldest = history.oldest { member("oldest_sequence", oldest) }
        if let time = history.oldestTime { member("oldest_at", time) }
        member("bytes", history.bytes)
        if let rollups { member("rollups") { $0.rollupMembers(rollups) } }
    }

    private mutating func rollupMembers(_ rollups: RollupStatus) {
        member("state", rollups.failure == nil ? "ok" : "degraded")
        if let failure = rollups.failure { member("reason") { $0.reasonMembers(failure) } }
        member("waiting", rollups.waiting)
        member("lost", rollups.lost)
        member("bytes", rollups.bytes)
    }

    private mutating func reasonMembers(_ code: HistoryError.Code) {
        member("code", code.rawValue)
        member("detail", code.summary)
    }
}

/// The state of a discovery source, in `/status`.
extension JSONWriter {
    mutating func discoverySource(_ status: DiscoverySourceStatus) {
        object { writer in
            writer.member("name", status.name)
            writer.member("kind", status.kind)
            writer.member("targets", status.targets)
            if let time = status.lastSuccess { writer.member("last_success", time) }
            guard let failure = status.failure else { return }
            writer.member("error") {
                $0.member("code", failure.code)
                $0.member("message", failure.message)
            }
        }
    }
}

/// The state of the receivers, in `/status`.
extension JSONWriter {
    mutating func notification(_ status: NotificationStatus) {
        object { writer in
            writer.member("name", status.name)
            writer.member("type", status.type)
            writer.deliveryMembers(status)
            guard let fleet = status.fleet else { return }
            writer.member("fleet") { writer in
                switch fleet {
                case .here(let status):
                    writer.member("is_served", true)
                    writer.deliveryMembers(status.value)
                case .cutOff(let status):
                    writer.member("is_served", false)
                    writer.member("is_cut_off", true)
                    writer.deliveryMembers(status.value)
                case .elsewhere: writer.member("is_served", false)
                }
            }
        }
    }

    private mutating func deliveryMembers(_ status: NotificationStatus) {
        member("state", status.state.rawValue)
        member("pending", status.pending)
        member("cursor", status.cursor)
        member("is_durable", status.isDurable)
        member("delivered", status.delivered)
        member("given_up", status.givenUp)
        member("missed", status.missed)
        if let time = status.lastSuccess { member("last_success", time) }
        if let failure = status.lastError {
            member("last_error") { writer in
                writer.member("code", failure.code)
                writer.member("detail", failure.detail)
                if let time = status.lastErrorTime { writer.member("at", time) }
            }
        }
    }
}
