// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Probing

/// The recent reports of routers, and findings of traces, about targets that still do not answer. Pure.
///
/// Routers limit the rate of their ICMP errors, often to one a second for each sender (RFC 1812, section 4.3.2.8). The probes
/// in between end by timeout, which does not contradict the report.
struct OffenderMemory {
    /// The time for which a report explains timeouts, in milliseconds.
    static let age: Int64 = 60_000
    /// The time for which what a trace showed explains timeouts, in milliseconds.
    static let traceAge: Int64 = 300_000
    /// The time for which a path MTU black hole explains connections that stall, in milliseconds: beyond the next
    /// investigation (``TraceLimits/sameTarget``), so that the verdict does not change in between.
    static let blackHoleAge: Int64 = 900_000
    /// The number of entries above which old ones are removed.
    static let pruneAbove = 256

    /// The number of consecutive reports after which another router takes the place of the one that reported before. Routers of
    /// equal paths take turns, and each change would be an event.
    static let takeover = 3

    private struct Report {
        var diagnosis: Diagnosis
        var at: Timestamp
        var age = OffenderMemory.age
        /// The consecutive reports of other routers.
        var others = 0
    }

    private enum Subject: Hashable {
        case target(ordinal: UInt64)
        case address(IPAddress)
    }

    private var reports: [Subject: Report] = [:]
    private var limit = Self.pruneAbove

    /// The number of entries.
    var count: Int { reports.count }

    /// Stores the diagnosis of a failed probe if a router reported the failure.
    ///
    /// - Parameters:
    ///   - ordinal: The target's.
    ///   - address: The probed address. Other targets at it share the report if it is about routing; a firewall may reject
    ///     only the packets of this one.
    /// - Returns: The diagnosis to show: the previous one, while another router than the previous one may only take turns.
    @discardableResult
    mutating func store(
        _ diagnosis: Diagnosis,
        of ordinal: UInt64,
        address: IPAddress?,
        at now: Timestamp
    ) -> Diagnosis {
        switch diagnosis.offender?.role {
        case .gateway, .router: break
        case .thisMachine, .target, nil: return diagnosis
        }
        if let shown = rivalled(by: diagnosis, ordinal, at: now) { return shown }
        prune(at: now)
        reports[.target(ordinal: ordinal)] = Report(diagnosis: diagnosis, at: now)
        switch diagnosis.reason {
        case .hostUnreachable, .networkUnreachable, .ttlExceeded:
            if let address { reports[.address(address)] = Report(diagnosis: diagnosis, at: now) }
        default: break
        }
        return diagnosis
    }

    /// Stores what a trace shows of a target that does not answer.
    mutating func storeTrace(_ diagnosis: Diagnosis, of ordinal: UInt64, at now: Timestamp) {
        prune(at: now)
        let age = diagnosis.rule == .mtuBlackHole ? Self.blackHoleAge : Self.traceAge
        reports[.target(ordinal: ordinal)] = Report(diagnosis: diagnosis, at: now, age: age)
    }

    private mutating func prune(at now: Timestamp) {
        guard reports.count >= limit else { return }
        reports = reports.filter { Self.isFresh($0.value, at: now) }
        limit = max(Self.pruneAbove, reports.count * 2)
    }

    /// Returns the previous diagnosis, if another router's report does not replace it yet.
    private mutating func rivalled(by diagnosis: Diagnosis, _ ordinal: UInt64, at now: Timestamp) -> Diagnosis? {
        guard var report = reports[.target(ordinal: ordinal)], report.diagnosis.reason == diagnosis.reason,
            report.diagnosis.rule == diagnosis.rule, report.diagnosis.offender?.address != diagnosis.offender?.address
        else { return nil }
        report.others += 1
        guard report.others < Self.takeover else { return nil }
        report.at = now
        reports[.target(ordinal: ordinal)] = report
        return report.diagnosis
    }

    /// Removes what was stored for a target that answers.
    mutating func remove(_ ordinal: UInt64, address: IPAddress?) {
        guard !reports.isEmpty else { return }
        reports[.target(ordinal: ordinal)] = nil
        if let address { reports[.address(address)] = nil }
    }

    /// Removes a path MTU black hole.
    mutating func removeBlackHole(_ ordinal: UInt64) {
        if reports[.target(ordinal: ordinal)]?.diagnosis.rule == .mtuBlackHole {
            reports[.target(ordinal: ordinal)] = nil
        }
    }

    /// Returns the diagnosis that explains a timeout; nil without a recent report.
    ///
    /// - Parameter isStalled: Whether the connection was established: only such a timeout is a path MTU black hole's.
    func diagnosis(
        of ordinal: UInt64,
        address: IPAddress?,
        isStalled: Bool = false,
        at now: Timestamp
    ) -> Diagnosis? {
        let report = reports[.target(ordinal: ordinal)] ?? address.flatMap { reports[.address($0)] }
        guard let report, Self.isFresh(report, at: now) else { return nil }
        guard report.diagnosis.rule != .mtuBlackHole || isStalled else { return nil }
        return report.diagnosis
    }

    private static func isFresh(_ report: Report, at now: Timestamp) -> Bool {
        (0...report.age).contains(now.milliseconds - report.at.milliseconds)
    }
}
