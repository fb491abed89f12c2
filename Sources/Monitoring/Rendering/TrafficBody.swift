// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
package import JSON
package import Traffic

/// This machine's connections to a target.
extension JSONWriter {
    /// The newest evidence, and the sums of the last minutes and of the last hour.
    package mutating func trafficMembers(_ traffic: TargetTraffic) {
        let standing = traffic.hour.summary.standing
        if let time = standing.lastSuccess { member("last_success", traffic.time(time)) }
        if let time = standing.lastFailure { member("last_failure", traffic.time(time)) }
        member("failures_in_a_row", standing.failuresInARow)
        member("recent") { $0.sumMembers(traffic.recent, minutes: TargetTraffic.recentMinutes) }
        member("hour") { $0.sumMembers(traffic.hour, minutes: 60) }
        guard let hanging = traffic.hour.summary.hanging else { return }
        member("hanging_at_failure") { writer in
            writer.member("at", traffic.time(hanging.time))
            writer.member("examined", hanging.examined)
            writer.member("complete", hanging.isComplete)
            writer.member("hanging", hanging.count)
            for cause in HangingConnection.Cause.allCases {
                if let count = hanging.causes[cause] { writer.member(named: cause.rawValue, count) }
            }
        }
    }

    /// The same, with each minute that had connections.
    package mutating func trafficMembers(withMinutes traffic: TargetTraffic) {
        trafficMembers(traffic)
        key("minutes")
        array(traffic.hour.minutes) { writer, minute in
            writer.object {
                $0.member("at", traffic.time(minute.start))
                $0.countMembers(minute.counts)
                if let median = minute.medianRoundTrip { $0.member("median_rtt_seconds", .microseconds(Int64(median))) }
                $0.member("observed_share", ratio: minute.share)
                if minute.overruns > 0 { $0.member("overruns", minute.overruns) }
            }
        }
    }

    private mutating func sumMembers(_ report: TrafficReport, minutes: Int) {
        member("minutes", minutes)
        countMembers(report.total)
        member("observed_share", ratio: report.share)
    }

    private mutating func countMembers(_ counts: TrafficCounts) {
        member("connections", counts.connections)
        if counts.served > 0 { member("served", counts.served) }
        member("failed", counts.failedAttempts)
        for ending in EndedConnection.Ending.allCases where ending != .closed {
            let count = counts.count(of: ending)
            if count > 0 { member(named: ending.rawValue, count) }
        }
        if let share = counts.retransmissionShare { member("retransmission_share", ratio: share) }
        member("bytes_sent", counts.bytesSent)
        member("bytes_received", counts.bytesReceived)
    }

    /// The connections that hang at present.
    ///
    /// - Parameter hidesAddress: whether to leave out addresses and ports.
    package mutating func hangingMembers(_ hanging: HangingConnections, hidesAddress: Bool) {
        member("examined", hanging.examined)
        member("complete", hanging.isComplete)
        key("connections")
        array(hanging.connections) { writer, connection in
            writer.object {
                if !hidesAddress {
                    $0.member("local", connection.local.description)
                    $0.member("remote", connection.remote.description)
                }
                $0.member("waits_for", connection.cause.rawValue)
                $0.member("attempts", connection.attempts)
                $0.member("unacknowledged_segments", connection.unacknowledged)
                $0.member("send_queue_bytes", connection.sendQueue)
                if let age = connection.sinceLastAcknowledgement {
                    $0.member("since_last_acknowledgement_seconds", .milliseconds(Int64(age)))
                }
            }
        }
    }
}
