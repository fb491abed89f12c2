// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// Messages about incidents.
extension Message {
    /// A message about an incident.
    ///
    /// - Parameters:
    ///   - phase: why it is sent.
    ///   - view: the incident as the receiver sees it.
    ///   - notice: what the receiver knows: the message is the next one of the incident.
    init(_ phase: MessageIncident.Phase, _ view: IncidentView, _ notice: IncidentNotice) {
        let incident = view.incident
        let isOver = phase == .closed
        // The first message of what is over already says what had failed.
        let concerned = isOver || view.failing == 0 ? view.ended : view.members.filter(\.isFailing)
        let evidence = IncidentEvidence(incident.description.evidence)
        let changes = concerned.prefix(Self.listLimit).map { member -> StateChange in
            var change = StateChange(member, of: incident, evidence, isOver: isOver)
            change.seenFrom = view.seenFrom
            return change
        }
        let moment = isOver ? view.closedAt : concerned.map(\.member.from).max()
        self.init(
            kind: view.members.count == 1 ? .state : .outage,
            id: Self.id(phase, of: incident.id, at: moment ?? incident.openedAt, notice),
            at: moment ?? incident.openedAt,
            status: isOver ? .resolved : phase == .acknowledged ? .info : .firing,
            severity: isOver ? max(view.severity, notice.severity) : view.severity,
            changes: Array(changes),
            count: concerned.count,
            causes: [incident.cause.place: concerned.count]
        )
        self.incident = MessageIncident(
            key: incident.id,
            // In a fleet, the routes of any node are about the fleet's incidents.
            id: view.seenFrom == nil ? incident.id : nil,
            title: view.title + (view.seenFrom.map { " (as seen from \($0))" } ?? ""),
            phase: phase,
            kind: incident.cause.kind,
            openedAt: incident.openedAt,
            begunAt: incident.begunAt,
            closedAt: view.closedAt,
            total: view.members.count,
            failing: view.failing,
            backAt: isOver ? view.ended.compactMap(\.member.until).max() : nil
        )
    }

    /// The id of a message: equal when it is sent again after a restart, as long as the incident is the same. The end of what was
    /// reported once more has another one.
    private static func id(
        _ phase: MessageIncident.Phase,
        of incident: String,
        at moment: Timestamp,
        _ notice: IncidentNotice
    ) -> String {
        let begun = phase == .opened ? "" : ".\(notice.begunAt)"
        return "\(incident).\(phase.rawValue).\(notice.count + 1)\(begun).\(moment.milliseconds)"
    }

    /// The end of an incident that is not kept any more, or whose targets are not the receiver's any more.
    init(endOf id: String, _ notice: IncidentNotice, at moment: Timestamp) {
        self.init(
            kind: .outage,
            id: Self.id(.closed, of: id, at: moment, notice),
            at: moment,
            status: .resolved,
            severity: notice.severity,
            changes: [],
            count: notice.total,
            causes: [:]
        )
        incident = MessageIncident(
            key: id,
            id: id,
            title: notice.title,
            phase: .closed,
            openedAt: Timestamp(milliseconds: notice.openedAt),
            begunAt: Timestamp(milliseconds: max(notice.openedAt, notice.begunAt)),
            closedAt: moment,
            total: notice.total,
            failing: 0
        )
    }
}

extension StateChange {
    /// A member's part in an incident: how it failed, or how that ended.
    fileprivate init(
        _ viewed: IncidentView.Member,
        of incident: Incident,
        _ evidence: IncidentEvidence,
        isOver: Bool
    ) {
        let member = viewed.member
        let id = EventID(parsing: incident.id) ?? EventID(epoch: "0", sequence: 0)
        let to: TargetState =
            switch member.end {
            case _ where !isOver: member.state
            case .paused: .paused
            case .maintenance: .maintenance
            case .removed: .unknown
            case .otherCause, .corrected: viewed.present ?? member.state
            case .recovered, nil: .up
            }
        self.init(
            id: id,
            at: isOver ? member.until ?? member.from : member.from,
            target: member.target,
            group: member.group,
            tags: viewed.tags,
            from: isOver ? member.state : .up,
            to: to,
            reason: isOver ? nil : evidence.code,
            detail: isOver ? nil : evidence.detail,
            cause: incident.cause.place
        )
        name = member.name
        if !isOver { self.evidence = evidence.fault }
        if isOver, member.end == .removed { self = ended(.removed) }
    }
}

/// What the first member of an incident showed.
private struct IncidentEvidence {
    let code: String?
    let detail: String?
    let fault: FaultEvidence?

    /// - Parameter reason: the members of a reason, a JSON object in UTF-8.
    init(_ reason: [UInt8]) {
        let members = try? JSONReader.members(of: reason)
        code = members?["code"].flatMap { try? JSONReader.text(of: $0) }
        detail = members?["detail"].flatMap { try? JSONReader.text(of: $0) }
        fault = FaultEvidence(reason: reason)
    }
}
