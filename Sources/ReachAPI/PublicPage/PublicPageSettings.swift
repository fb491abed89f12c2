// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the public status page shows.
package struct PublicPageSettings: Sendable, Hashable {
    /// Its title.
    package var title = "Status"
    /// The groups of targets that it shows, in their order; empty for no page.
    package var groups: [String] = []
    /// A line at its end; nil for none.
    package var footer: String?
    /// The URL that the title links to, http or https; nil for none.
    package var link: String?
    /// Whether it has a listener of its own, so that the service's other addresses do not serve it.
    package var hasListener = false

    /// No page.
    package init() {}
}
