// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Decides when a node counts as cut off from its fleet: its lease ended a minute ago, and it could not renew it since.
///
/// A value without clock and I/O. Times are nanoseconds of the membership's clock; positions are numbers of the node's own log that do
/// not change when events are moved behind those of an earlier run.
struct CutOffTracker: Sendable {
    /// How long the lease must be over.
    static let patience: UInt64 = 60_000_000_000
    /// A timer that is later than this belongs to a process that was frozen, or to a machine that was suspended: it can tell nothing
    /// about the database.
    static let lateness: UInt64 = 5_000_000_000
    /// What was reported within this time before the last renewal may not have been sent to receivers.
    static let margin: UInt64 = 10_000_000_000

    private struct Sample {
        let at: UInt64
        let reported: Int64
    }

    /// Whether the node is cut off.
    private(set) var isCutOff = false
    /// When to call ``turn(at:)``; nil for never.
    private(set) var deadline: UInt64?
    /// How far the reports were a while before the last renewal, and later.
    private var samples: [Sample] = []

    /// The position up to which the fleet notified receivers, as far as this node can tell: an early one.
    var baseline: Int64 { samples.first?.reported ?? 0 }

    /// Takes the answer to a renewal.
    ///
    /// - Parameters:
    ///   - reported: the position up to which the database has the node's reports.
    mutating func renewed(at now: UInt64, reported: Int64) {
        guard samples.last.map({ $0.at + Self.margin <= now }) ?? true else { return }
        samples = samples.suffix(1) + [Sample(at: now, reported: reported)]
    }

    /// The lease lasts until a time, which may be over.
    mutating func extend(until end: UInt64, at now: UInt64) {
        if end > now { isCutOff = false }
        if !isCutOff { deadline = end + Self.patience }
    }

    /// The time has come that ``deadline`` named.
    mutating func turn(at now: UInt64) {
        guard let deadline, now >= deadline else { return }
        guard now - deadline <= Self.lateness else { return self.deadline = now + Self.patience }
        self.deadline = nil
        isCutOff = true
    }

    /// The node is not part of the fleet any more, or another process has its name.
    mutating func end() { self = CutOffTracker() }
}
