// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import JSON
import Monitoring

/// The statistics of a window's slices, oldest first.
struct Timeline {
    let window: UptimeWindow
    /// In milliseconds since 1970; as many as ``slices``.
    let ranges: [Range<Int64>]
    let slices: [RollupBucket]
}

/// The body of `/targets/{id}/timeline`.
extension JSONWriter {
    mutating func timelines(_ timelines: [Timeline], of target: String, now: Timestamp) {
        object { writer in
            writer.member("target", target)
            writer.member("windows") { writer in
                for timeline in timelines {
                    writer.key(timeline.window.rawValue)
                    writer.object { $0.timelineMembers(timeline, now: now) }
                }
            }
        }
    }

    private mutating func timelineMembers(_ timeline: Timeline, now: Timestamp) {
        member("from", Timestamp(milliseconds: timeline.ranges.first?.lowerBound ?? now.milliseconds))
        member("to", now)
        member("slice_seconds", Int(timeline.window.sliceLength / 1000))
        key("slices")
        array(timeline.slices) { writer, bucket in
            writer.object { writer in
                writer.stateSeconds(bucket)
                if bucket.probes > 0 {
                    writer.member("probes", bucket.probes)
                    writer.member("failures", bucket.failures)
                    writer.quantile("p50_seconds", 0.5, bucket.latencies)
                    writer.quantile("p95_seconds", 0.95, bucket.latencies)
                }
                if !bucket.traffic.isEmpty { writer.member("traffic") { $0.trafficMembers(bucket.traffic) } }
            }
        }
    }

    private mutating func trafficMembers(_ traffic: TrafficSums) {
        member("connections", traffic.connections)
        member("failed", traffic.failed)
        for (name, count) in [
            ("reset", traffic.reset), ("timed_out", traffic.timedOut), ("refused", traffic.refused),
            ("unanswered", traffic.unanswered),
        ] where count > 0 { member(named: name, count) }
        if let share = traffic.retransmissionShare { member("retransmission_share", ratio: share) }
        quantile("median_rtt_seconds", 0.5, traffic.roundTrips)
        member("bytes_sent", traffic.bytesSent)
        member("bytes_received", traffic.bytesReceived)
        member("observed_share", ratio: traffic.observedShare)
    }
}

/// The body of `/targets/{id}/history`.
extension JSONWriter {
    mutating func transitionList(_ page: TransitionPage, of target: String) {
        object { writer in
            writer.member("target", target)
            writer.key("transitions")
            writer.array(page.events) { $0.transition($1) }
            if let next = page.next { writer.member("next", next.text) }
        }
    }

    private mutating func transition(_ event: RecordedEvent) {
        object { writer in
            writer.member("sequence", event.sequence)
            writer.member("at", event.at)
            guard let transition = event.transition else { return }
            writer.member("from", transition.from.rawValue)
            writer.member("to", transition.to.rawValue)
            if let code = transition.reason {
                writer.member("reason") {
                    $0.member("code", code)
                    $0.member("detail", optional: event.detail)
                }
            }
            if let cause = transition.cause { writer.member("cause", cause.rawValue) }
        }
    }
}
