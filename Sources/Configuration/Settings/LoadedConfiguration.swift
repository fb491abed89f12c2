// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A configuration with what should be said about it.
public struct LoadedConfiguration: Sendable, Hashable {
    /// The configuration.
    public let configuration: ReachdConfiguration
    /// What is odd and does no harm.
    public let warnings: [ConfigurationFault]
}
