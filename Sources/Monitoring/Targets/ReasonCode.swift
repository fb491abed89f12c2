// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths
package import Probing

/// Why a target is not up, as a stable code.
package enum ReasonCode: Sendable, Hashable, CaseIterable, RawRepresentable {
    /// There was no verdict yet.
    case notEvaluated
    /// There was no probe's result yet.
    case notProbed
    /// Something that it depends on cannot be used.
    case parentDown
    /// Somebody paused it.
    case paused
    /// It is in a declared maintenance.
    case maintenance
    /// The path's own reason.
    case path(UnsatisfiedReason)
    /// The probe's own reason.
    case probe(ProbeReason)

    /// All codes, in the order of the contract. The path and the probe share some: `prohibited`, `blackhole`.
    package static let allCases: [ReasonCode] =
        [.notEvaluated, .notProbed, .parentDown, .paused, .maintenance]
        + UnsatisfiedReason.allCases.map(Self.path) + ProbeReason.allCases.map(Self.probe)

    /// Reads a code; nil for an unknown one. What a path and a probe share is read as the path's.
    package init?(rawValue: String) {
        guard let code = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = code
    }

    /// The code in the HTTP contract.
    package var rawValue: String {
        switch self {
        case .notEvaluated: "not_evaluated"
        case .notProbed: "not_probed"
        case .parentDown: "parent_down"
        case .paused: "paused"
        case .maintenance: "maintenance"
        case .path(let reason): reason.rawValue
        case .probe(let reason): reason.rawValue
        }
    }
}
