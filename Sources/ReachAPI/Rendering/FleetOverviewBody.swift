// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Fleet
package import JSON
import Monitoring

/// A fleet's overview: the body of `/fleet/nodes`, and the output of `reachd fleet status --json`.
extension JSONWriter {
    package mutating func fleetOverview(_ overview: FleetOverview) {
        object { writer in
            writer.member("epoch", overview.epoch)
            writer.member("sequence", overview.sequence)
            writer.member("coordinator", optional: overview.coordinator)
            writer.member("lease_seconds", overview.settings.lease)
            writer.member("targets", overview.targets)
            writer.member("unassigned", overview.unassigned)
            writer.member("inbox", overview.inbox)
            writer.member("is_durable", overview.isDurable)
            writer.fleetProblems(overview.problems)
            writer.key("isolated")
            writer.array(overview.isolated) { writer, location in writer.string(location) }
            writer.member("states") { writer in
                for (state, count) in overview.states.sorted(by: { $0.key < $1.key }) {
                    writer.member(named: state, count)
                }
            }
            writer.key("nodes")
            writer.array(overview.nodes) { writer, node in writer.object { $0.fleetNodeMembers(node, in: overview) } }
            writer.key("receivers")
            writer.array(overview.receivers) { writer, receiver in
                writer.object { writer in
                    writer.member("name", receiver.name)
                    writer.member("node", optional: receiver.node)
                    writer.member("cursor", receiver.consumed)
                    writer.member("is_ambiguous", receiver.isAmbiguous)
                }
            }
        }
    }

    /// The members of a node.
    package mutating func fleetNodeMembers(_ node: FleetOverview.Node, in overview: FleetOverview) {
        member("name", node.name)
        member("location", node.location)
        member("state", node.state.rawValue)
        member("is_isolated", overview.isolated.contains(node.location))
        member("since", Timestamp(node.since))
        member("version", node.version)
        member("url", optional: node.url)
        member("capacity", node.capacity)
        member("targets", node.targets)
        member("backlog", node.backlog)
        member("round_trip_seconds", node.roundTrip)
        member("skew_seconds", difference: node.skew)
        key("receivers")
        array(overview.served(by: node)) { writer, name in writer.string(name) }
    }
}
