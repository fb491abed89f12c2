// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// What a node reports to the fleet: a change or a state of one target as observed from its location, another certificate, or that it
/// has probed a shard.
///
/// It carries the token of the assignment under which the observation was made. Instants are since the Unix epoch by this machine's
/// wall clock; they are corrected when the report is sent.
package struct Report: Sendable, Hashable {
    /// The kind; raw values are stored.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A target's state changed.
        case vote
        /// A target's state as it is; sent for all targets after changes were lost.
        case state
        /// The new owner of a shard has probed it.
        case confirmed
        /// A target shows another certificate than before.
        case certificate
    }

    /// What a location observes of a target.
    package struct Observation: Sendable, Hashable {
        /// The target's id.
        package let target: String
        /// The state.
        package let state: TargetState
        /// Where the fault is; nil without one.
        package let cause: StateCause?
        /// The reason; nil while the target is up.
        package let reason: ReasonCode?
        /// A sentence for people; nil while the target is up.
        package let detail: String?
        /// When the state began.
        package let since: Duration
        /// What the fleet's incidents are to know of a failure; nil while the target does not fail.
        package let fault: IncidentFault?

        /// Creates an observation.
        package init(
            target: String,
            state: TargetState,
            cause: StateCause? = nil,
            reason: ReasonCode? = nil,
            detail: String? = nil,
            since: Duration,
            fault: IncidentFault? = nil
        ) {
            self.target = StorableText.text(target, limit: Report.targetLimit)
            self.state = state
            self.cause = cause
            self.reason = reason
            self.detail = detail.map { StorableText.text($0, limit: Report.detailLimit) }
            self.since = since
            self.fault = fault
        }
    }

    /// Another certificate of a target.
    package struct Certificate: Sendable, Hashable {
        /// The target's id.
        package let target: String
        /// The data of the node's own event, a JSON object.
        package let data: String

        /// Creates a report's part; nil when the data are longer than a report can be.
        package init?(target: String, data: [UInt8]) {
            guard data.count <= CertificateEntry.dataLimit else { return nil }
            self.target = StorableText.text(target, limit: Report.targetLimit)
            self.data = StorableText.text(String(decoding: data, as: UTF8.self))
        }
    }

    /// The longest detail, in bytes; the rest is cut.
    static let detailLimit = 4_096
    /// The longest id of a target, in bytes.
    static let targetLimit = 1_024

    /// The kind.
    package let kind: Kind
    /// The local event, or the newest one when the report was made.
    package let sequence: UInt64
    /// The shard and the location.
    package let key: AssignmentKey
    /// The token of the assignment under which the observation was made.
    package let token: UInt64
    /// The observation; nil for `confirmed` and `certificate`.
    package let observation: Observation?
    /// When the observation was made.
    package let at: Duration
    /// The certificate; nil for other kinds.
    package var certificate: Certificate?

    /// A change of a target's state, by the local event of a sequence number.
    package static func vote(
        _ observation: Observation,
        sequence: UInt64,
        key: AssignmentKey,
        token: UInt64,
        at: Duration
    ) -> Report {
        Report(kind: .vote, sequence: sequence, key: key, token: token, observation: observation, at: at)
    }

    /// A target's state as it is at `at`; its sequence number is assigned later.
    package static func state(
        _ observation: Observation,
        key: AssignmentKey,
        token: UInt64,
        at: Duration
    ) -> Report {
        Report(kind: .state, sequence: 0, key: key, token: token, observation: observation, at: at)
    }

    /// A target's other certificate, by the local event of a sequence number.
    package static func certificate(
        _ certificate: Certificate,
        sequence: UInt64,
        key: AssignmentKey,
        token: UInt64,
        at: Duration
    ) -> Report {
        Report(
            kind: .certificate,
            sequence: sequence,
            key: key,
            token: token,
            observation: nil,
            at: at,
            certificate: certificate
        )
    }

    /// A shard was probed; `sequence`: the newest local event at that time, so that all votes before it are sent before it.
    package static func confirmed(
        _ key: AssignmentKey,
        token: UInt64,
        sequence: UInt64,
        at: Duration
    ) -> Report {
        Report(kind: .confirmed, sequence: sequence, key: key, token: token, observation: nil, at: at)
    }

    /// What is stored beside the observation: the data of a certificate's change, or a fault.
    var data: String? {
        if let certificate { return certificate.data }
        guard let stored = observation?.fault?.stored, stored.count <= IncidentFault.sizeLimit else { return nil }
        return StorableText.text(String(decoding: stored, as: UTF8.self))
    }

    /// The target's id; nil for `confirmed`.
    package var target: String? { observation?.target ?? certificate?.target }

    /// About how many bytes the report has as a parameter of a statement.
    package var size: Int {
        96 + key.location.utf8.count + (target?.utf8.count ?? 0) + (observation?.detail?.utf8.count ?? 0)
            + (certificate?.data.utf8.count ?? 0) + (observation?.fault?.size ?? 0)
    }
}
