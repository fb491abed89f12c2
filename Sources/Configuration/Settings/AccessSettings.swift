// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Probing

/// Who may use the HTTP interface, and how.
public struct AccessSettings: Sendable, Hashable {
    /// A token, by its digest.
    public struct Token: Sendable, Hashable {
        /// What it is called.
        public let name: String
        /// SHA-256 of the token; 32 bytes.
        public let digest: [UInt8]
        /// Whether its bearer may read.
        public let mayRead: Bool
        /// Whether its bearer may change something.
        public let mayWrite: Bool
    }

    /// The tokens; with none everybody may read, and who is on this machine may change something.
    public let tokens: [Token]
    /// The sites whose pages may read, `https://name:port`.
    public let origins: Set<String>
    /// Changes a second.
    public let writesPerSecond: Int
    /// Which targets clients may name.
    public let targets: TargetPolicy
}
