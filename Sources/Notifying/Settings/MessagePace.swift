// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How many messages there may be.
package struct MessagePace: Sendable, Hashable {
    /// How long changes for which this machine's network, DNS or a parent is the cause are gathered into one message.
    package var groupWait: Duration = .seconds(5)
    /// Messages about one target within ``window``; later changes are held back and told in one message, with their number.
    package var perTarget = 6
    /// See ``perTarget``.
    package var window: Duration = .seconds(600)

    /// The defaults.
    package init() {}
}
