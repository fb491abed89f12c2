// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How far the resolution of a name target has come.
public struct Resolution: Sendable, Hashable {
    /// The states of a resolution; raw values are the HTTP contract's.
    public enum State: String, Sendable, Hashable {
        /// The target is not a name.
        case notNeeded = "not_needed"
        /// An answer is awaited; flags are those of the default path until then (R53).
        case pending
        /// There was an answer, possibly an empty one.
        case complete
        /// No answer came, or the resolver refused; earlier addresses are kept for an hour.
        case failed
    }

    /// The state.
    public var state: State
    /// The addresses of the last answer, in the resolver's order.
    public var addresses: [IPAddress]
    /// What went wrong, in words, when ``state`` is `failed`.
    public var error: String?

    /// Creates a resolution from its parts.
    public init(state: State, addresses: [IPAddress] = [], error: String? = nil) {
        self.state = state
        self.addresses = addresses
        self.error = error
    }

    /// The resolution of every target that is not a name.
    public static let notNeeded = Resolution(state: .notNeeded)
}
