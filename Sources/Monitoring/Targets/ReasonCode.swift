// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import NetworkPaths

/// Why a target is not up, as a stable code.
public enum ReasonCode: Sendable, Hashable, CaseIterable, RawRepresentable {
    /// There was no verdict yet.
    case notEvaluated
    /// The path's own reason.
    case path(UnsatisfiedReason)

    /// All codes, in the order of the contract.
    public static let allCases: [ReasonCode] = [.notEvaluated] + UnsatisfiedReason.allCases.map(Self.path)

    /// Reads a code; nil for an unknown one.
    public init?(rawValue: String) {
        guard let code = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = code
    }

    /// The code in the HTTP contract.
    public var rawValue: String {
        switch self {
        case .notEvaluated: "not_evaluated"
        case .path(let reason): reason.rawValue
        }
    }
}
