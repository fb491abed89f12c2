// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// A configuration with what should be said about it.
package struct LoadedConfiguration: Sendable, Hashable {
    /// The configuration.
    package let configuration: ReachdConfiguration
    /// What is odd and does no harm.
    package let warnings: [ConfigurationFault]
}
