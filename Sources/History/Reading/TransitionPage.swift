// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// Some changes of a target's state, newest first.
package struct TransitionPage: Sendable {
    /// The events.
    package let events: [RecordedEvent]
    /// Where the list goes on; nil at its end.
    package let next: TransitionCursor?
}
