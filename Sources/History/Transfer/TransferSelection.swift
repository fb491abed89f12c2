// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// What is exported.
package struct TransferSelection: Sendable, Hashable {
    /// The parts of the history; raw values are the command line's.
    package enum Part: String, Sendable, Hashable, CaseIterable {
        /// Every event.
        case events
        /// Only the changes of states among them.
        case transitions
        /// Minutes, hours and days.
        case rollups
    }

    /// Which parts.
    package var parts: Set<Part>
    /// Not before this moment.
    package var from: Timestamp?
    /// Before this moment.
    package var to: Timestamp?
    /// Only of these targets; of all, and of none, when empty.
    package var targets: Set<String>

    /// Creates a selection.
    package init(
        parts: Set<Part> = [.events, .rollups],
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        targets: Set<String> = []
    ) {
        self.parts = parts
        self.from = from
        self.to = to
        self.targets = targets
    }

    func contains(_ moment: Int64) -> Bool {
        moment >= from?.milliseconds ?? .min && moment < to?.milliseconds ?? .max
    }

    func contains(_ event: RecordedEvent) -> Bool {
        guard contains(event.at.milliseconds), parts.contains(.events) || event.transition != nil else { return false }
        return targets.isEmpty || event.target.map(targets.contains) ?? false
    }
}
