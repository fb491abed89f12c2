// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths

/// How things stand in all, taken in one step; its cost does not depend on the number of targets.
package struct RegistryOverview: Sendable {
    /// The number of the last event.
    package let sequence: UInt64
    /// The run of the event log.
    package let epoch: String
    /// What ``Registry/version`` was.
    package let version: UInt64
    /// The machine's own network.
    package let network: StatusRecord
    /// The machine's name servers, in order.
    package let resolvers: [IPAddress]
    /// How many targets are in each state.
    package let counts: StateCounts
    /// How often any target, also one that is gone, went over to each state.
    package let transitions: StateCounts
    /// How many targets, the network included, wait for their first verdict.
    package let awaiting: Int
    /// Whether every target of the first configuration had its first verdict; stays true from then on.
    package let isReady: Bool
}
