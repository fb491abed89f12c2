// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The node's event log as the source of reports, on the fleet's event loop.
///
/// The log's sequence numbers rise within an epoch. A log that may have lost events that were reported, or numbers them anew, has a
/// new epoch.
package protocol ReportSource: AnyObject {
    /// The log's epoch.
    var epoch: String { get }
    /// The sequence number of the newest event; 0 for an empty log.
    var newest: UInt64 { get }

    /// The reports of the events after a sequence number, in their order; at most one for each event, and none for events that are not
    /// reported (see ``ReportPage``).
    ///
    /// - Parameters:
    ///   - sequence: the last event that was read before.
    ///   - limit: how many reports to return at most; above 0.
    ///   - bytes: the limit for the sum of ``Report/size``. One report is returned even when it is larger.
    func reports(after sequence: UInt64, limit: Int, bytes: Int) -> ReportPage

    /// The states of all targets that are assigned to the node, page by page in a fixed order, each as it is now. Targets that were not
    /// evaluated yet are omitted.
    ///
    /// A change during the pages is also an event, whose report follows.
    ///
    /// - Parameters:
    ///   - cursor: ``StatePage/next`` of the page before; nil for the first.
    ///   - limit: how many reports to return at most; above 0.
    ///   - bytes: the limit for the sum of ``Report/size``. One report is returned even when it is larger.
    func states(after cursor: String?, limit: Int, bytes: Int) -> StatePage

    /// Removes and returns reports that are no events and not after a sequence number, in the order in which they were made:
    /// confirmations, and states of targets that were known when their shard was assigned.
    ///
    /// A confirmation can get lost with the process or with the database's data. The source makes it again when
    /// ``FleetSession/assignmentsChanged`` contains a probed shard whose `confirmed` is not its token.
    func takeAdditions(through sequence: UInt64, limit: Int) -> [Report]
}

/// Reports of events.
package enum ReportPage: Sendable {
    /// `through`: the last event that was read, reported or not; the next page begins after it.
    case events([Report], through: UInt64)
    /// The next event left the log before it was read. The states of all targets are reported instead.
    case gap
}

/// Reports of states.
package struct StatePage: Sendable {
    /// The reports.
    package let reports: [Report]
    /// Where the next page begins; nil after the last one.
    package let next: String?

    /// Creates a page.
    package init(reports: [Report], next: String?) {
        self.reports = reports
        self.next = next
    }
}
