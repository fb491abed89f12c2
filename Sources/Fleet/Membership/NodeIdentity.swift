// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A run of a node: its unique name, and the number that the database gave this run.
///
/// The newest run of a name owns it. An older one, such as a second process that was given the same name by mistake, finds that its
/// number is outdated and stops reporting.
package struct NodeIdentity: Sendable, Hashable {
    /// The node's unique name.
    package let name: String
    /// The number of the run; greater than that of each earlier one of the same name.
    package let incarnation: Int64

    /// Creates an identity.
    package init(name: String, incarnation: Int64) {
        self.name = name
        self.incarnation = incarnation
    }
}
