// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What a receiver was notified of an incident. Part of its stored place, so that a restart forgets no end.
struct IncidentNotice: Sendable, Hashable {
    /// How far the receiver was notified; raw values are words of the stored form.
    enum State: String, Sendable, Hashable {
        /// Nothing was sent, and there may be something to send, also when the incident is over.
        case pending
        /// The first message was sent, and is not acknowledged: it may have arrived.
        case opening
        /// The receiver knows that it is open.
        case open
        /// The first message was discarded, and no later one was acknowledged: the receiver knows nothing that has an end.
        case discarded
        /// Nothing is owed: the receiver knows the end, or nothing that it wants to know happened.
        case settled
    }

    var state: State
    /// How many messages were acknowledged.
    var count = 0
    /// How bad the last message said that it is.
    var severity = Severity.info
    /// How many targets the last message had.
    var total = 0
    /// Whether the receiver knows that a person takes care of it.
    var isAcknowledged = false
    /// The kind of the cause in the last message; nil: it is not known.
    var kind: IncidentCause.Kind?
    /// When the incident was opened, in milliseconds since 1970.
    var openedAt: Int64
    /// The time of the first message, which those that follow are about, and before it that of the failure that it is to report; in
    /// milliseconds since 1970.
    var begunAt: Int64 = 0
    /// The times of the last messages, in milliseconds since 1970.
    var times: [Int64] = []
    /// The title, for the end of an incident that is not kept any more.
    var title: String

    /// Times that are kept.
    static let timeLimit = 100
    private static let titleLimit = 200

    init(_ state: State, _ incident: Incident) {
        self.state = state
        openedAt = incident.openedAt.milliseconds
        title = Self.line(incident.title)
    }

    /// Whether a restart has to know it.
    var isStored: Bool { state != .settled || count > 0 }

    /// Notes that a message was acknowledged, or discarded after too many refusals.
    mutating func settle(_ phase: MessageIncident.Phase, _ message: Message, isDelivered: Bool, at moment: Int64) {
        count += 1
        times = (times + [moment]).suffix(Self.timeLimit)
        severity = message.severity
        total = message.incident?.total ?? total
        title = message.incident.map { Self.line($0.title) } ?? title
        kind = message.incident?.kind ?? kind
        switch phase {
        case .opened, .updated, .reminder: state = isDelivered ? .open : state == .open ? .open : .discarded
        case .acknowledged: isAcknowledged = true
        case .closed: (state, isAcknowledged) = (.settled, false)
        }
    }

    private static func line(_ text: String) -> String {
        String(text.unicodeScalars.prefix(titleLimit).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }
}

extension IncidentNotice {
    /// The word that begins its line in a stored place.
    static let word = "incident"

    /// Reads the parts of a line behind ``word``, with the incident's id; nil for anything else.
    static func read(_ line: Substring) -> (id: String, notice: IncidentNotice)? {
        let parts = line.split(separator: " ", maxSplits: 9, omittingEmptySubsequences: false)
        guard parts.count == 10, let state = State(rawValue: String(parts[1])), let count = Int(parts[2]), count >= 0,
            let severity = Severity(rawValue: String(parts[3])), let total = Int(parts[4]), total >= 0,
            let openedAt = Int64(parts[6]), let begunAt = Int64(parts[7]), !parts[0].isEmpty
        else { return nil }
        // Earlier versions have no kind.
        let marks = parts[5].split(separator: ":", maxSplits: 1)
        let times = parts[8].split(separator: ",").compactMap { Int64($0) }
        let notice = IncidentNotice(
            state: state,
            count: count,
            severity: severity,
            total: total,
            isAcknowledged: marks.first == "ack",
            kind: marks.dropFirst().first.flatMap { IncidentCause.Kind(rawValue: String($0)) },
            openedAt: openedAt,
            begunAt: begunAt,
            times: times.suffix(timeLimit),
            title: String(parts[9])
        )
        return (String(parts[0]), notice)
    }

    /// The line of a stored place.
    func line(_ id: String) -> String {
        let ack = (isAcknowledged ? "ack" : "-") + (kind.map { ":\($0.rawValue)" } ?? "")
        let times = times.map(\.description).joined(separator: ",")
        let known = "\(state.rawValue) \(count) \(severity.rawValue) \(total) \(ack) \(openedAt) \(begunAt)"
        return "\(Self.word) \(id) \(known) \(times) \(title)"
    }

    private init(
        state: State,
        count: Int,
        severity: Severity,
        total: Int,
        isAcknowledged: Bool,
        kind: IncidentCause.Kind?,
        openedAt: Int64,
        begunAt: Int64,
        times: some Sequence<Int64>,
        title: String
    ) {
        (self.state, self.count, self.severity, self.total) = (state, count, severity, total)
        (self.isAcknowledged, self.kind, self.openedAt, self.begunAt) = (isAcknowledged, kind, openedAt, begunAt)
        (self.times, self.title) = (Array(times), title)
    }
}
