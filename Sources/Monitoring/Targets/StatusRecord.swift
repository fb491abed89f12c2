// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths

/// All that is known of a target, or of the machine's own network, after one event.
///
/// Records never change: a change makes a new one. Readers, the event log and the registry share them, so that a read
/// is one reference taken under the lock and an event needs no copy of what it speaks of.
package final class StatusRecord: Sendable {
    /// The target; nil for the machine's own network.
    package let target: DeclaredTarget?
    /// The last verdict; nil before the first one.
    package let path: NetworkPath?
    /// Whether one of the machine's name servers can be reached; the same for all targets.
    package let supportsDNS: Bool
    /// The service-level verdict.
    package let state: TargetState
    /// What else decided it; nil where the path's word is the last one.
    package let evaluation: TargetEvaluation?
    /// Since when ``state`` is what it is.
    package let since: Timestamp
    /// The number of the last event that changed something here.
    package let sequence: UInt64
    /// How often it went over to each state.
    package let transitions: TransitionCounts
    /// Another for every record: also for one that only knows a newer result, which is no event.
    package let version: UInt64

    init(
        target: DeclaredTarget?,
        path: NetworkPath?,
        supportsDNS: Bool,
        state: TargetState,
        evaluation: TargetEvaluation? = nil,
        since: Timestamp,
        sequence: UInt64,
        version: UInt64,
        transitions: TransitionCounts = TransitionCounts()
    ) {
        self.target = target
        self.path = path
        self.supportsDNS = supportsDNS
        self.state = state
        self.evaluation = evaluation
        self.since = since
        self.sequence = sequence
        self.version = version
        self.transitions = transitions
    }

    /// The same record after its events were given larger numbers; 0 stands for none.
    func moved(by distance: UInt64, version: UInt64) -> StatusRecord {
        StatusRecord(
            target: target,
            path: path,
            supportsDNS: supportsDNS,
            state: state,
            evaluation: evaluation,
            since: since,
            sequence: sequence == 0 ? 0 : sequence + distance,
            version: version,
            transitions: transitions
        )
    }

    /// The same record in another environment, with the numbers of its event, or of the change without an event.
    func resolving(supportsDNS: Bool, sequence: UInt64, version: UInt64) -> StatusRecord {
        StatusRecord(
            target: target,
            path: path,
            supportsDNS: supportsDNS,
            state: state,
            evaluation: evaluation,
            since: since,
            sequence: sequence,
            version: version,
            transitions: transitions
        )
    }

    /// AFNetworking's status; `unknown` before the first verdict (R7).
    package var status: ReachabilityStatus { path?.reachability ?? .unknown }

    /// Why it is not up; nil while it is.
    package var reason: StateReason? { StateReason(path: path, state: state, evaluation: evaluation) }

    /// Whether a target would show another reason (code, sentence or cause) with these values.
    func isOtherReason(path: NetworkPath?, state: TargetState, evaluation: TargetEvaluation?) -> Bool {
        let (old, new) = (reason, StateReason(path: path, state: state, evaluation: evaluation))
        guard old != new else { return false }
        return old?.code != new?.code || old?.cause != new?.cause || old?.detail != new?.detail
    }
}
