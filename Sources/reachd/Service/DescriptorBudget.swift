// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import HTTPServer
import Monitoring

/// How many subscribers and probes at a time a limit of descriptors allows.
///
/// A subscriber takes one, its socket. A probe is counted as one of http or grpc, the most expensive: its socket and the two ends
/// through which libcurl reads from it (`SocketRelay`). The server keeps a reserve for what is open besides: the 25 of an idle
/// service, look-ups of names, and a fourth for the one probe whose ends are being connected.
struct DescriptorBudget {
    private static let descriptorsPerProbe = 3

    /// The limit of descriptors; `UInt64.max` is unlimited.
    let limit: UInt64
    /// The largest numbers that are configured.
    let configured: (subscribers: Int, probes: Int)

    init(limit: UInt64, _ configuration: ReachdConfiguration) {
        self.limit = limit
        configured = (configuration.http.limits.streams, configuration.probing.limits.total)
    }

    /// What fits: all that is configured, or else half of the room for each, and what one does not need for the other.
    var allowed: (subscribers: Int, probes: Int) {
        let room = max(0, Int(clamping: limit) - HTTPServerSettings.standardDescriptorReserve)
        let half = room / 2
        let allProbes = min(room, configured.probes * Self.descriptorsPerProbe)
        let subscribers = min(configured.subscribers, max(half, room - allProbes))
        return (subscribers, min(configured.probes, (room - subscribers) / Self.descriptorsPerProbe))
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
