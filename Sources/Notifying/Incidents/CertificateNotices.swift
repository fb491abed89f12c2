// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Decides which certificates a receiver is notified of, and when.
///
/// Hosts behind a balancer may show two certificates in turns: a certificate that the receiver knows of is no news. Messages wait for
/// the end of quiet hours, and no target has more of them than `max_per_target` within `rate_window`; what is beyond that is left out.
struct CertificateNotices: Sendable {
    private let filter: NotificationFilter
    private let schedule: MessageSchedule
    private let isAccepted: Bool
    private var limit: RateLimit
    /// The fingerprints that the receiver knows of, by target, the newest last.
    private var known: [String: [String]] = [:]
    /// What waits for the end of quiet hours, in order.
    private var held: [Message] = []

    /// Fingerprints that are remembered of a target, targets of which some are, and messages that may wait.
    private static let knownLimit = 8
    private static let targetLimit = 10_000
    private static let heldLimit = 200

    init(_ receiver: ReceiverSettings) {
        filter = receiver.filter
        schedule = receiver.schedule
        // A service that keeps incidents would hold it open for ever, and an escalation has nothing to wait for.
        isAccepted =
            !receiver.channel.keepsIncidents && receiver.schedule.escalation == nil && receiver.filter.to.isEmpty
            && receiver.filter.from.isEmpty
        limit = RateLimit(receiver.pace)
    }

    /// Takes an event; false if the receiver is not to be notified of it.
    mutating func take(_ entry: CertificateEntry) -> Bool {
        let (target, message) = (entry.change.target, Message(entry))
        guard isAccepted, filter.routes(entry.change), message.severity >= filter.minimumSeverity else { return false }
        if known.count >= Self.targetLimit, known[target] == nil { known = [:] }
        var fingerprints = known[target] ?? []
        let isKnown = fingerprints.contains(entry.current)
        fingerprints.removeAll { $0 == entry.previous || $0 == entry.current }
        known[target] = (fingerprints + [entry.previous, entry.current]).suffix(Self.knownLimit)
        let moment = entry.change.at.milliseconds
        guard !isKnown, limit.earliest(target, at: moment) <= moment, held.count < Self.heldLimit else { return false }
        limit.note(target, at: moment)
        held.append(message)
        return true
    }

    /// The messages whose time has come.
    ///
    /// - Parameter moment: now, in milliseconds since 1970.
    mutating func due(at moment: Int64) -> [Message] {
        let due = held.filter { schedule.quiet.earliest($0.severity, at: moment) <= moment }
        held.removeAll { message in due.contains { $0.id == message.id } }
        return due
    }

    /// When a message is due; nil when none waits.
    ///
    /// - Parameter moment: now, in milliseconds since 1970.
    func next(at moment: Int64) -> Int64? { held.map { schedule.quiet.earliest($0.severity, at: moment) }.min() }

    /// How many messages wait.
    var waiting: Int { held.count }
}
