// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A log that was opened.
public struct OpenedStore: Sendable {
    /// The log.
    public let store: any EventStore
    /// Where an unusable one is now that was in its place; nil when there was none.
    public let setAside: String?

    /// Creates a value.
    public init(store: any EventStore, setAside: String? = nil) {
        self.store = store
        self.setAside = setAside
    }
}
