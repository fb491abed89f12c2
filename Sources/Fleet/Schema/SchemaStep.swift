// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A step of initialization or migration, for the operator who runs it.
package struct SchemaStep: Sendable, Hashable {
    /// The closed list of what a step concerns; the raw values are stable codes.
    package enum Subject: Sendable, Hashable {
        /// A group role.
        case role(String)
        /// The schema.
        case schema(String)
        /// A role's membership in another.
        case membership(role: String, member: String)
        /// A setting of the login role in this database.
        case setting(role: String, name: String, value: String)
        /// A migration to this version.
        case migration(Int)
        /// The fleet's row of `log_head`, with its identity.
        case identity
        /// The log's partitions of the next days.
        case partitions
        /// A login role that the fleet's privileges do not limit.
        case unlimitedRole(String)
    }

    /// What the step found or did.
    package enum Outcome: String, Sendable, Hashable {
        /// It was done now.
        case done
        /// It had been done before.
        case existed
        /// It is not as it should be, which does not prevent operation.
        case warning
    }

    /// What the step concerns.
    package let subject: Subject
    /// What it found or did.
    package let outcome: Outcome

    /// Creates a step.
    package init(_ subject: Subject, _ outcome: Outcome) {
        self.subject = subject
        self.outcome = outcome
    }
}

extension SchemaStep: CustomStringConvertible {
    /// One line, such as `role reachd_owner: created`.
    package var description: String {
        let isNew = outcome == .done
        return switch subject {
        case .role(let name): "role \(name): \(isNew ? "created" : "exists")"
        case .schema(let name): "schema \(name): \(isNew ? "created" : "exists")"
        case .membership(let role, let member): "\(member) \(isNew ? "is now" : "is") a member of \(role)"
        case .setting(let role, let name, let value): "\(role): \(name) \(isNew ? "is now" : "is") \(value)"
        case .migration(let version) where outcome == .warning:
            "schema version \(version) is not applied; run reachd fleet migrate"
        case .migration(let version): "schema version \(version): \(isNew ? "applied" : "exists")"
        case .identity: "identity: \(isNew ? "created" : "exists")"
        case .partitions: "partitions of the log: \(isNew ? "created" : "exist")"
        case .unlimitedRole(let name):
            "the login role \(name) is a superuser or owns the schema; the privileges of a node do not limit it"
        }
    }
}
