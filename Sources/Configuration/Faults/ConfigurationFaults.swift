// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why there is no configuration: everything that is wrong with it, in the order of the text.
public struct ConfigurationFaults: Error, Sendable, Hashable {
    /// The faults, at least one.
    public let faults: [ConfigurationFault]

    /// Collects faults.
    public init(_ faults: [ConfigurationFault]) {
        self.faults = faults
    }
}

extension ConfigurationFaults: CustomStringConvertible {
    /// One fault a line.
    public var description: String {
        faults.map(\.description).joined(separator: "\n")
    }
}
