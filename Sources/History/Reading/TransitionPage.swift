// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring

/// Some changes of a target's state, newest first.
public struct TransitionPage: Sendable {
    /// The events.
    public let events: [RecordedEvent]
    /// Where the list goes on; nil at its end.
    public let next: TransitionCursor?
}
