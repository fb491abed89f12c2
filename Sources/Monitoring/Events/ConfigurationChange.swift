// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What came of loading the configuration again.
package struct ConfigurationChange: Sendable, Hashable {
    /// The outcomes; raw values are the HTTP contract's.
    package enum Action: String, Sendable, Hashable, CaseIterable {
        /// The new configuration is in force.
        case reloaded
        /// It had faults; the old one is still in force.
        case rejected
        /// In a fleet: a file of `reachd fleet apply` is in force.
        case applied
    }

    /// Entries of a list kept at most: a configuration can be wrong in a hundred thousand places.
    package static let maximumEntries = 100

    /// The outcome.
    package let action: Action
    /// How many targets were added, changed and removed.
    package let targets: TargetChanges
    /// The dotted names of other settings that changed, the first ``maximumEntries``.
    package let settings: [String]
    /// What was wrong, as `file:line:column: text`, the first ``maximumEntries``.
    package let faults: [String]
    /// How many faults there were in all.
    package let faultCount: Int

    /// The new configuration is in force.
    ///
    /// - Parameters:
    ///   - targets: what ``Registry/apply(targets:automatic:)`` returned.
    ///   - settings: the dotted names of other settings that changed.
    package static func reloaded(targets: TargetChanges, settings: [String] = []) -> Self {
        Self(
            action: .reloaded,
            targets: targets,
            settings: Array(settings.prefix(maximumEntries)),
            faults: [],
            faultCount: 0
        )
    }

    /// The new configuration had faults.
    ///
    /// - Parameter faults: each as `file:line:column: text`.
    package static func rejected(faults: [String]) -> Self {
        Self(
            action: .rejected,
            targets: TargetChanges(),
            settings: [],
            faults: Array(faults.prefix(maximumEntries)),
            faultCount: faults.count
        )
    }
}

/// What a new list of targets did to the old one, in numbers; the names are in the `target` events.
package struct TargetChanges: Sendable, Hashable {
    /// Targets that are new.
    package var added = 0
    /// Targets whose settings changed.
    package var updated = 0
    /// Targets that are gone.
    package var removed = 0
    /// Targets that were left alone.
    package var unchanged = 0

    /// No change.
    package init() {}
}
