// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A log that was opened.
package struct OpenedStore: Sendable {
    /// The log.
    package let store: any EventStore
    /// Where an unusable one is now that was in its place; nil when there was none.
    package let setAside: String?

    /// Creates a value.
    package init(store: any EventStore, setAside: String? = nil) {
        self.store = store
        self.setAside = setAside
    }
}
