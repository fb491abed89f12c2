// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// Decides what a receiver is to be notified of an incident, by what it knows and how the incident is.
///
/// | the receiver knows | the incident | it is notified |
/// | --- | --- | --- |
/// | nothing | fails | that it is open: after `group_wait` when the cause is shared, after `after` when no person acknowledged it |
/// | nothing | fails, and waits for results that show whether it goes on | nothing yet |
/// | nothing | is over, and no message could be sent in time | that it was opened, then that it is over |
/// | that it is open | is worse, or its cause was corrected to one in another place | of that: at once |
/// | that it is open | has more targets, or was corrected otherwise, as to another router | of that: after `updates` |
/// | that it is open | is acknowledged | of that, where the receiver's service has such a state |
/// | that it is open | goes on without acknowledgement | again, every `remind` |
/// | that it is open | is over | that it is over: always |
/// | nothing, since the first message was discarded | goes on | as if it knew |
/// | nothing, since the first message was discarded | is over | nothing |
///
/// A mute and quiet hours delay everything but the end of what the receiver was notified of. No incident has more messages than
/// `max_per_target` within `rate_window`: then the next one says how it is.
struct IncidentPolicy: Sendable {
    /// What to do now.
    enum Decision: Sendable, Hashable {
        case send(MessageIncident.Phase)
        /// The receiver counts as notified: it wants to know of ends alone.
        case assume
        /// Nothing before a time, in milliseconds since 1970; nil: before the incident changes.
        case wait(until: Int64?)
        /// Nothing is owed any more.
        case settle
        /// Nothing is owed, and the incident does not come back.
        case forget
    }

    private let filter: NotificationFilter
    private let pace: MessageRate
    private let schedule: MessageSchedule
    private let showsAcknowledgements: Bool

    init(_ receiver: ReceiverSettings) {
        filter = receiver.filter
        pace = receiver.pace
        schedule = receiver.schedule
        showsAcknowledgements = receiver.channel.showsAcknowledgements
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - view: how the incident is; nil when it is not kept any more.
    ///   - notice: what the receiver knows.
    ///   - now: in milliseconds since 1970.
    func decide(_ view: IncidentView?, _ notice: IncidentNotice, at now: Int64) -> Decision {
        switch notice.state {
        case .opening: .send(.opened)
        case .open, .discarded: goOn(view, notice, at: now)
        case .pending, .settled: begin(view, notice, at: now)
        }
    }

    private func begin(_ view: IncidentView?, _ notice: IncidentNotice, at now: Int64) -> Decision {
        guard let view else { return .forget }
        let incident = view.incident
        let rated = rateLimited(notice, at: now)
        guard let since = view.failingSince else {
            if notice.state == .pending, view.isWanted,
                let longest = view.longest(since: notice.begunAt), longest >= wait(view), !filter.wantsOnlyEnds,
                schedule.escalation == nil || isUnacknowledged(view), isAudible(view, at: now), rated <= now
            {
                return .send(.opened)
            }
            // It is opened again, and with the same number of its messages, if its cause returns soon.
            guard !incident.isOpen else { return .settle }
            let end = (view.closedAt?.milliseconds ?? now) + IncidentBook.reopeningTime
            let last = (notice.times.last ?? .min / 2) + window
            return max(end, last) <= now ? .forget : notice.state == .pending ? .settle : .wait(until: max(end, last))
        }
        guard view.isWanted else { return .wait(until: nil) }
        if schedule.escalation != nil, incident.acknowledgement != nil { return .wait(until: nil) }
        let failed = min(since.milliseconds, now) + wait(view)
        let escalated = schedule.escalation.map { min(incident.begunAt.milliseconds, now) + $0.wholeMilliseconds }
        let muted = incident.mutedUntil?.milliseconds
        var due = [failed, escalated, muted, rated].compactMap(\.self).max() ?? now
        due = schedule.quiet.earliest(view.severity, at: max(due, now))
        guard due <= now else { return .wait(until: due) }
        guard !view.isUnjudged else { return .wait(until: now + Self.pause) }
        return filter.wantsOnlyEnds ? .assume : .send(.opened)
    }

    private func goOn(_ view: IncidentView?, _ notice: IncidentNotice, at now: Int64) -> Decision {
        let rated = rateLimited(notice, at: now)
        guard let view, view.failing > 0 else {
            if !filter.wantsEnds || notice.state == .discarded { return .settle }
            return rated <= now ? .send(.closed) : .wait(until: rated)
        }
        let incident = view.incident
        if showsAcknowledgements, notice.state == .open, !notice.isAcknowledged, incident.acknowledgement != nil {
            return rated <= now ? .send(.acknowledged) : .wait(until: rated)
        }
        if filter.wantsOnlyEnds { return .wait(until: nil) }
        let last = notice.times.last ?? now
        var next: [(phase: MessageIncident.Phase, due: Int64)] = []
        if view.severity > notice.severity || (notice.kind ?? incident.cause.kind).place != incident.cause.place {
            next.append((.updated, now))
        } else if view.members.count > notice.total || incident.correctedAt.map({ $0 > last }) == true,
            schedule.updates > .zero
        {
            next.append((.updated, last + schedule.updates.wholeMilliseconds))
        }
        if let reminder = schedule.reminder, incident.acknowledgement == nil {
            next.append((.reminder, last + reminder.wholeMilliseconds))
        }
        guard let first = next.min(by: { $0.due < $1.due }) else { return .wait(until: nil) }
        var due = [first.due, incident.mutedUntil?.milliseconds, rated].compactMap(\.self).max() ?? now
        due = schedule.quiet.earliest(view.severity, at: max(due, now))
        return due <= now ? .send(first.phase) : .wait(until: due)
    }

    /// How long after a look one is due again at an incident whose targets were not judged, in milliseconds.
    private static let pause: Int64 = 1_000

    private func wait(_ view: IncidentView) -> Int64 { view.isShared ? pace.groupWait.wholeMilliseconds : 0 }

    private func isUnacknowledged(_ view: IncidentView) -> Bool {
        let lasted = (view.closedAt?.milliseconds ?? 0) - view.incident.begunAt.milliseconds
        return view.incident.acknowledgement == nil && lasted >= (schedule.escalation?.wholeMilliseconds ?? 0)
    }

    /// Whether neither a mute nor quiet hours hold back what is over.
    private func isAudible(_ view: IncidentView, at now: Int64) -> Bool {
        (view.incident.mutedUntil?.milliseconds ?? .min) <= now
            && schedule.quiet.earliest(view.severity, at: now) <= now
    }

    private var window: Int64 { pace.window.wholeMilliseconds }

    /// When the next message may be sent; times after now are of a clock that was set back, and do not count.
    private func rateLimited(_ notice: IncidentNotice, at now: Int64) -> Int64 {
        let past = notice.times.filter { $0 <= now && $0 > now - window }
        return past.count >= pace.perTarget ? past[past.count - pace.perTarget] + window : now
    }
}

/// When a receiver is notified of incidents.
package struct MessageSchedule: Sendable, Hashable {
    /// How long an incident lasts, and is not acknowledged, before the receiver is notified of it; nil: it need not be.
    package var escalation: Duration?
    /// How often the receiver is reminded of an incident that no person acknowledged; nil: it is not.
    package var reminder: Duration?
    /// How long after a message further targets of an incident are reported; zero: they are not.
    package var updates: Duration = .seconds(300)
    /// When only what is bad enough is sent.
    package var quiet = QuietHours()

    /// The defaults.
    package init() {}
}

extension Duration {
    /// Rounded down; so many that a sum with a time overflows nowhere.
    fileprivate var wholeMilliseconds: Int64 { Int64(clamping: min(nanoseconds / 1_000_000, 1_000_000_000_000)) }
}

extension Incident {
    /// When its cause was corrected last, in milliseconds since 1970; nil for never.
    fileprivate var correctedAt: Int64? { timeline.last { $0.kind == .corrected }?.at.milliseconds }
}
