// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// What a message says of the incident that it belongs to.
struct MessageIncident: Sendable, Hashable {
    /// Why the message is sent; raw values are what messages say.
    enum Phase: String, Sendable, Hashable, CaseIterable { case opened, updated, acknowledged, reminder, closed }
    /// The key that all messages of an incident share, as long as it is open; at most 64 characters of `[A-Za-z0-9._-]`.
    let key: String
    /// The incident's id at `/incidents/{id}`; nil when there is no such route for it (targets of a fleet).
    let id: String?
    /// One line, such as "eth0 lost its carrier: 200 targets unreachable".
    var title: String
    var phase: Phase
    /// The kind of its cause; nil where it is not known any more.
    var kind: IncidentCause.Kind?
    let openedAt: Timestamp
    /// When it was opened last: the beginning of the present outage.
    let begunAt: Timestamp
    /// nil while it is open.
    var closedAt: Timestamp?
    /// How many targets of it the receiver is notified of, and how many of them still fail.
    var total: Int
    var failing: Int
    /// When the last of the targets was back that the end tells of; nil: as ``closedAt``. One that fails for another cause kept it open.
    var backAt: Timestamp?
}

extension MessageIncident {
    /// How long the present outage has lasted, in milliseconds.
    ///
    /// - Parameter moment: The time of the message, the end while the incident is open.
    func milliseconds(at moment: Timestamp) -> Int64 { milliseconds(until: closedAt ?? moment) }

    private func milliseconds(until end: Timestamp) -> Int64 {
        let (length, isTooLong) = end.milliseconds.subtractingReportingOverflow(begunAt.milliseconds)
        return isTooLong ? 0 : max(0, length)
    }

    /// The same for people: `less than a second`, `45 s`, `4 min`, `3 h 12 min`, `2 days`.
    func duration(at moment: Timestamp) -> String { LengthOfTime.elapsed(milliseconds: milliseconds(at: moment)) }

    /// How long the targets failed that are back, for people.
    fileprivate func durationOfBack(at moment: Timestamp) -> String {
        LengthOfTime.elapsed(milliseconds: milliseconds(until: backAt ?? closedAt ?? moment))
    }
}

extension Message {
    /// One sentence about an incident.
    func text(of incident: MessageIncident) -> String {
        let names = changes.prefix(5).map(\.label).joined(separator: ", ") + (count > 5 ? ", …" : "")
        let list = names.isEmpty ? "" : ": \(names)"
        let view = seenFrom.map { ", as seen from \($0)" } ?? ""
        switch incident.phase {
        case .opened, .updated, .reminder:
            let still = incident.phase == .reminder ? "Still open: " : ""
            // The title names what is broken if that is not the target.
            if let change = changes.first, kind == .state, incident.kind?.place ?? .target == .target {
                let why = (change.detail ?? change.reason).map { ": \($0)" } ?? "."
                return "\(still)\(change.label) is \(change.to.rawValue)\(view)\(why)"
            }
            return "\(still)\(incident.title)\(list)"
        case .acknowledged: return "Acknowledged: \(incident.title)"
        case .closed:
            let duration = incident.closedAt == nil ? "" : " after \(incident.durationOfBack(at: at))"
            guard let change = changes.first else { return "No longer reported to this receiver: \(incident.title)" }
            if kind == .state {
                if change.ending != nil { return "\(change.label) was removed while it was \(change.from.rawValue)." }
                return change.to.isProblem
                    ? "\(change.label) no longer fails for this cause; it is \(change.to.rawValue) for another one."
                    : "\(change.label) is \(change.to.rawValue)\(duration)\(view)."
            }
            let isBack = changes.allSatisfy { $0.to == .up }
            let words =
                count == 1
                ? "target \(isBack ? "is up" : "no longer fails for this cause")"
                : "targets \(isBack ? "are up" : "no longer fail for this cause")"
            return "\(count) \(words)\(duration)\(list)"
        }
    }
}
