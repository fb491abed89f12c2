// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// Why the fleet's verdict on a target is not `up`: a node's own code, or one that only several locations have.
///
/// The fleet's codes are not among ``Monitoring/ReasonCode``, because a single node never reports them.
package enum FleetReason: Sendable, Hashable, RawRepresentable {
    /// The reason of the vote that decided.
    case vote(ReasonCode)
    /// Some locations report the target down, others up.
    case partlyDown
    /// Fewer locations than needed report it down, and no other location can judge it.
    case noQuorum
    /// No location can judge it.
    case noLocation
    /// No live node monitors it.
    case unwatched

    /// The codes of the fleet.
    package static let ownCases: [FleetReason] = [.partlyDown, .noQuorum, .noLocation, .unwatched]

    /// Reads a code; nil for an unknown one.
    package init?(rawValue: String) {
        if let own = Self.ownCases.first(where: { $0.rawValue == rawValue }) {
            self = own
        } else if let code = ReasonCode(rawValue: rawValue) {
            self = .vote(code)
        } else {
            return nil
        }
    }

    /// The code in the HTTP contract.
    package var rawValue: String {
        switch self {
        case .vote(let code): code.rawValue
        case .partlyDown: "partly_down"
        case .noQuorum: "no_quorum"
        case .noLocation: "no_location"
        case .unwatched: "unwatched"
        }
    }
}
