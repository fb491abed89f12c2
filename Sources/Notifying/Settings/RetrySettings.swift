// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How a message is tried again that did not arrive.
package struct RetrySettings: Sendable, Hashable {
    /// How often a message is tried that the receiver refuses (a status of 3xx or 4xx other than 408, 425 and 429) before it is given
    /// up. One that fails in any other way is tried for ever.
    package var refusals = 5
    /// The first pause; it doubles each time, give or take a fifth.
    package var firstPause: Duration = .seconds(1)
    /// The longest pause.
    package var longestPause: Duration = .seconds(300)

    /// The defaults.
    package init() {}
}
