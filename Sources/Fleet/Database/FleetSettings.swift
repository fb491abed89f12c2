// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// The settings that all nodes of a fleet share; they are stored in the database.
package struct FleetSettings: Sendable, Hashable {
    /// How long a node's lease is valid; renewed five times as often.
    package var lease: Duration
    /// How long locations may disagree about a target before the verdict shows it. The default is longer than a location needs that is
    /// asked to probe and confirms a failure with the probes' defaults: a renewal and 10 s.
    package var settle: Duration
    /// How long the last votes on a target count after its last live node was lost.
    package var unwatchedAfter: Duration
    /// How long events stay in the fleet's log, in whole days; what nodes know of probes, in whole months that are not older.
    package var keep: Duration
    /// What nodes store of their probes.
    package var rollups: RollupSetting
    /// The maximum number of targets.
    package var maximumTargets: Int

    /// The default of ``maximumTargets``.
    package static let standardMaximumTargets = 1_000_000

    /// Creates settings; the defaults are those of a new fleet.
    package init(
        lease: Duration = .seconds(5),
        settle: Duration = .seconds(15),
        unwatchedAfter: Duration = .seconds(30),
        keep: Duration = .seconds(90 * 86_400),
        rollups: RollupSetting = .days,
        maximumTargets: Int = Self.standardMaximumTargets
    ) {
        self.lease = lease
        self.settle = settle
        self.unwatchedAfter = unwatchedAfter
        self.keep = keep
        self.rollups = rollups
        self.maximumTargets = maximumTargets
    }
}

extension FleetSettings {
    /// Reads the text that the database stores; a member that is absent or makes no sense has its default.
    package init(text: String) {
        self.init()
        guard let value = try? JSONValue(reading: Array(text.utf8)) else { return }
        func read(_ name: String, _ setting: inout Duration, from least: Int64) {
            guard case .number(let text)? = value.member(name), let microseconds = Int64(text), microseconds >= least
            else { return }
            setting = Duration(microseconds: microseconds)
        }
        read("lease_us", &lease, from: 1_000_000)
        lease = min(lease, NodeLease.lengths.upperBound)
        read("settle_us", &settle, from: 0)
        read("unwatched_after_us", &unwatchedAfter, from: 0)
        read("keep_us", &keep, from: 86_400_000_000)
        if case .string(let text)? = value.member("rollups"), let setting = RollupSetting(rawValue: text) {
            rollups = setting
        }
        if case .number(let text)? = value.member("max_targets"), let number = Int(text), number >= 0 {
            maximumTargets = number
        }
    }

    /// The text that the database stores, a JSON object. The digest of a document is made of it: a setting that an earlier version did
    /// not have is only there when it has not its default.
    package var text: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("lease_us", lease.microseconds)
            writer.member("settle_us", settle.microseconds)
            writer.member("unwatched_after_us", unwatchedAfter.microseconds)
            writer.member("keep_us", keep.microseconds)
            writer.member("max_targets", maximumTargets)
            if rollups != .days { writer.member("rollups", rollups.rawValue) }
        }
        return String(decoding: writer.take(), as: UTF8.self)
    }

    /// The names of the settings that differ from others, as documents have them.
    func changes(from other: FleetSettings) -> [String] {
        [
            ("lease", lease != other.lease), ("settle", settle != other.settle),
            ("unwatched_after", unwatchedAfter != other.unwatchedAfter), ("keep", keep != other.keep),
            ("rollups", rollups != other.rollups), ("max_targets", maximumTargets != other.maximumTargets),
        ].filter(\.1).map(\.0)
    }
}
