// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
package import JSON
package import Probing

extension JSONWriter {
    /// The members of a target's trace.
    package mutating func traceMembers(_ trace: TargetTrace) {
        member("at", trace.at)
        traceMembers(trace.result)
    }

    /// The members of a trace's result.
    package mutating func traceMembers(_ trace: TraceResult) {
        member("address", trace.request.destination.description)
        member("method", trace.request.method.name)
        if let port = trace.request.method.port { member("port", Int(port)) }
        member("outcome", trace.end.name)
        member("detail", trace.detail)
        member("duration_seconds", trace.duration)
        member("packets", trace.packetsSent)
        member("one_flow", trace.isOneFlow)
        if !trace.loop.isEmpty {
            key("loop")
            array(trace.loop) { $0.string($1.description) }
        }
        key("hops")
        array(trace.hops) { writer, hop in writer.object { $0.hopMembers(hop) } }
    }

    /// The members of a changed route.
    mutating func routeChangeMembers(_ change: RouteChange) {
        member("address", change.destination.description)
        member("first_hop", change.firstDifference)
        key("old")
        routeHops(change.previous)
        key("new")
        routeHops(change.current)
    }

    private mutating func routeHops(_ hops: [[IPAddress]]) {
        array(hops) { writer, addresses in writer.array(addresses) { $0.string($1.description) } }
    }

    private mutating func hopMembers(_ hop: TraceHop) {
        member("hop", hop.number)
        key("addresses")
        array(hop.addresses) { $0.string($1.description) }
        member("sent", hop.sent)
        member("lost", hop.lost)
        if let minimum = hop.minimum { member("min_seconds", minimum) }
        if let median = hop.median { member("median_seconds", median) }
        if let icmp = hop.icmp {
            member("icmp_type", Int(icmp.type))
            member("icmp_code", Int(icmp.code))
        }
        guard !hop.labels.isEmpty else { return }
        key("mpls")
        array(hop.labels) { writer, label in
            writer.object {
                $0.member("label", Int(label.label))
                $0.member("traffic_class", Int(label.trafficClass))
                $0.member("ttl", Int(label.timeToLive))
            }
        }
    }
}
