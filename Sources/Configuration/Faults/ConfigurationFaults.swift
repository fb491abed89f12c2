// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// Why there is no configuration: everything that is wrong with it, in the order of the text.
package struct ConfigurationFaults: Error, Sendable, Hashable {
    /// The faults, at least one.
    package let faults: [ConfigurationFault]

    /// Collects faults.
    package init(_ faults: [ConfigurationFault]) {
        self.faults = faults
    }
}

extension ConfigurationFaults: CustomStringConvertible {
    /// One fault a line.
    package var description: String {
        faults.map(\.description).joined(separator: "\n")
    }
}
