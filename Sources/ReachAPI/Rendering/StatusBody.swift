// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import JSON
import Monitoring
import NetworkPaths
import Notifying

/// What `/status` answers.
extension JSONWriter {
    mutating func statusBody(
        _ overview: RegistryOverview,
        service: ServiceInformation,
        activity: ActivityStatus,
        probing: ProbingStatistics?,
        anchors: AnchorTally?,
        netlink: PathEngineStatistics?,
        history: HistoryStatus,
        rollups: RollupStatus?,
        notifications: [NotificationStatus],
        uptimeMilliseconds: UInt64,
        generatedAt: Timestamp
    ) {
        object { writer in
            writer.member("service") {
                $0.member("name", service.name)
                $0.member("version", service.version)
                $0.member("started_at", service.startedAt)
                $0.key("uptime_seconds")
                $0.seconds(milliseconds: uptimeMilliseconds)
            }
            writer.member("epoch", overview.epoch)
            writer.member("sequence", overview.sequence)
            writer.member("generated_at", generatedAt)
            writer.member("network") { $0.network(overview.network, resolvers: overview.resolvers) }
            writer.member("summary") { writer in
                for state in TargetState.allCases { writer.member(named: state.rawValue, overview.counts[state]) }
                writer.member("total", overview.counts.total)
            }
            writer.member("activity") { $0.activityMembers(activity) }
            if let probing { writer.member("probing") { $0.probingMembers(probing) } }
            writer.member("history") { $0.historyMembers(history, rollups: rollups) }
            if let netlink { writer.member("netlink") { $0.netlinkMembers(netlink) } }
            writer.key("notifications")
            writer.array(notifications) { $0.notification($1) }
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
