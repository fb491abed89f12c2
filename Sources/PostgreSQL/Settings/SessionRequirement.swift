// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// `target_session_attrs`: what a session must satisfy, with libpq's meaning.
enum SessionRequirement: String, Sendable, Hashable, CaseIterable {
    case any
    case readWrite = "read-write"
    case readOnly = "read-only"
    case primary
    case standby
    /// A standby if there is one among the hosts, otherwise any server.
    case preferStandby = "prefer-standby"

    /// - Throws: `invalid_settings` for another value.
    init(parameter: String?) throws(DatabaseError) {
        guard let value = SessionRequirement(rawValue: parameter ?? "any") else {
            let allowed = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw DatabaseError(.invalidSettings, "target_session_attrs is invalid (allowed: \(allowed))")
        }
        self = value
    }

    /// What the hosts are tried for, in this order.
    var passes: [SessionRequirement] { self == .preferStandby ? [.standby, .any] : [self] }

    /// Why a session is rejected; nil when it is accepted.
    func rejection(isInRecovery: Bool, isReadOnly: Bool) -> String? {
        switch self {
        case .any, .preferStandby: nil
        case .readWrite: isInRecovery ? "is a standby" : isReadOnly ? "is read-only" : nil
        case .readOnly: isInRecovery || isReadOnly ? nil : "is not read-only"
        case .primary: isInRecovery ? "is a standby" : nil
        case .standby: isInRecovery ? nil : "is not a standby"
        }
    }
}
