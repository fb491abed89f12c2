// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import HTTPServer
import Monitoring

/// How many subscribers and probes at a time a limit of descriptors allows.
///
/// Each takes one, its socket: 100 streams and 100 probes of any kind over TCP add 100 each to the 25 of an idle service; icmp, dns
/// and udp probes and look-ups of names share theirs. The server keeps a reserve for what is open besides.
struct DescriptorBudget {
    /// The limit of descriptors; `UInt64.max` is unlimited.
    let limit: UInt64
    /// The largest numbers that are configured.
    let configured: (subscribers: Int, probes: Int)

    init(limit: UInt64, _ configuration: ReachdConfiguration) {
        self.limit = limit
        configured = (configuration.http.maximumStreams, configuration.probing.limits.total)
    }

    /// What fits: all that is configured, or else half of the room for each, and what one does not need for the other.
    var allowed: (subscribers: Int, probes: Int) {
        let room = max(0, Int(clamping: limit) - HTTPServerSettings.standardDescriptorReserve)
        let half = room / 2
        let subscribers = min(configured.subscribers, max(half, room - min(room, configured.probes)))
        return (subscribers, min(configured.probes, room - subscribers))
    }

    /// Whether everything that is configured fits.
    var isEnough: Bool { allowed == configured }

    /// `room for 436 subscribers of 1000 (events.max_streams) and … at a time`
    var words: String {
        func part(_ allowed: Int, _ configured: Int, _ noun: String, _ key: String) -> String {
            allowed < configured ? "\(allowed) \(noun) of \(configured) (\(key))" : "\(allowed) \(noun)"
        }
        let subscribers = part(allowed.subscribers, configured.subscribers, "subscribers", "events.max_streams")
        let probes = part(allowed.probes, configured.probes, "probes", "probing.max_concurrent")
        return "room for \(subscribers) and \(probes) at a time"
    }
}
