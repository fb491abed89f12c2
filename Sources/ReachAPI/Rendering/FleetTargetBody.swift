// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import JSON
import Monitoring

/// The bodies of targets in the fleet's scope.
extension JSONWriter {
    /// The body of `/targets` and of `snapshot` events, apart from its time.
    mutating func fleetListMembers(_ page: FleetTargetPage, total: Int, fields: FieldSelection = .all) {
        key("targets")
        array(page.targets) { $0.fleetTarget($1, fields: fields) }
        member("total", total)
        member("sequence", page.version.sequence)
        if let next = page.next { member("next", TargetCursor(run: TargetCursor.fleetRun, ordinal: next).text) }
    }

    /// A target with its verdict and its votes. Paths, results and certificates belong to a location: they are at the votes' `url`.
    mutating func fleetTarget(_ target: FleetTarget, fields: FieldSelection = .all) {
        object { writer in
            if let settings = target.settings {
                writer.names(settings, fields: fields)
            } else {
                writer.member("id", target.id)
            }
            if fields.contains(.state) { writer.member("state", target.state.rawValue) }
            if fields.contains(.since) { writer.member("since", target.since) }
            if fields.contains(.reason) { writer.reason(target.reason, detail: target.detail) }
            if let cause = target.cause, fields.contains(.cause) { writer.member("cause", cause.rawValue) }
            if let pending = target.pendingUntil, fields.contains(.pending) {
                let toward: TargetState = target.counts.against >= target.counts.needed ? .down : .degraded
                writer.member("pending") {
                    $0.member("toward", toward.rawValue)
                    $0.member("until", pending)
                }
            }
            if let settings = target.settings {
                writer.details(settings, fields: fields)
            } else if let group = target.group, fields.contains(.group) {
                writer.member("group", group)
            }
            if fields.contains(.watch) { writer.watch(target.placement, isPartialUp: target.isPartialUp) }
            if fields.contains(.quorum) { writer.quorum(target.counts) }
            if fields.contains(.votes) {
                writer.key("votes")
                writer.array(target.votes) { writer, vote in writer.object { $0.voteMembers(vote) } }
            }
        }
    }

    private mutating func voteMembers(_ vote: FleetVote) {
        member("location", vote.vote.location)
        if let node = vote.node { member("node", node) }
        if let url = vote.url { member("url", url) }
        member("state", vote.vote.state.rawValue)
        member("counts_as", vote.standing.name)
        if case .void(let reason) = vote.standing { member("void_reason", reason.rawValue) }
        reason(vote.vote.reason?.rawValue, detail: vote.vote.detail)
        if let cause = vote.vote.cause { member("cause", cause.rawValue) }
        member("since", Timestamp(vote.vote.since))
        member("is_confirmed", vote.isConfirmed)
    }
}
