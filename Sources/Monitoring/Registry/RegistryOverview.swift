// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import NetworkPaths

/// How things stand in all, taken in one step; its cost does not depend on the number of targets.
public struct RegistryOverview: Sendable {
    /// The number of the last event.
    public let sequence: UInt64
    /// The run of the event log.
    public let epoch: String
    /// What ``Registry/version`` was.
    public let version: UInt64
    /// The machine's own network.
    public let network: StatusRecord
    /// The machine's name servers, in order.
    public let resolvers: [IPAddress]
    /// How many targets are in each state.
    public let counts: StateCounts
    /// How often any target, also one that is gone, went over to each state.
    public let transitions: StateCounts
    /// How many targets, the network included, wait for their first verdict.
    public let awaiting: Int
    /// Whether every target of the first configuration had its first verdict; stays true from then on.
    public let isReady: Bool
}
