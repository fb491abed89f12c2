// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// Who may use the HTTP interface, and how.
package struct AccessSettings: Sendable, Hashable {
    /// A token, by its digest.
    package struct Token: Sendable, Hashable {
        /// What it is called.
        package let name: String
        /// SHA-256 of the token; 32 bytes.
        package let digest: [UInt8]
        /// Whether its bearer may read.
        package let mayRead: Bool
        /// Whether its bearer may change something.
        package let mayWrite: Bool
    }

    /// The tokens; with none everybody may read, and who is on this machine may change something.
    package let tokens: [Token]
    /// The sites whose pages may read, `https://name:port`.
    package let origins: Set<String>
    /// Changes a second.
    package let writesPerSecond: Int
    /// Which targets clients may name.
    package let targets: TargetPolicy
}
