// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a node registers about itself.
package struct NodeDescription: Sendable, Hashable {
    /// The unique name.
    package let name: String
    /// The location that it probes from.
    package let location: String
    /// The URL of its web page and API for people and other nodes; nil for none.
    package let url: String?
    /// The version of reachd.
    package let version: String
    /// The greatest number of targets that may be assigned to it.
    package let capacity: Int32

    /// Creates a description. Zero bytes, which PostgreSQL does not store, are replaced; a negative capacity becomes 0.
    package init(name: String, location: String, url: String? = nil, version: String, capacity: Int) {
        self.name = StorableText.text(name)
        self.location = StorableText.text(location)
        self.url = url.map { StorableText.text($0) }
        self.version = StorableText.text(version)
        self.capacity = Int32(clamping: max(0, capacity))
    }
}
