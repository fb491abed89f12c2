// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Where a receiver left off, as the event log's file keeps it: what is settled, and what it was notified of by then.
struct ReceiverOffset: Sendable, Hashable {
    var mark: ConsumerOffset
    /// The alerts of an Alertmanager; nil in a place that an earlier version kept.
    var open: OpenProblems?
    /// Events behind the mark whose alerts were sent to an Alertmanager and may have arrived.
    private(set) var carried: SequenceSet
    /// The incidents that the receiver was notified of, or is to be, by id.
    var notices: [String: IncidentNotice] = [:]

    init(mark: ConsumerOffset, open: OpenProblems? = nil, carried: SequenceSet = SequenceSet()) {
        (self.mark, self.open, self.carried) = (mark, open, carried)
    }

    /// A place of a receiver that was notified of nothing yet.
    init(floor: UInt64) { self.init(mark: ConsumerOffset(floor: floor), open: OpenProblems()) }

    /// The same place in a log that ends with a number.
    func cut(behind last: UInt64) -> ReceiverOffset {
        var place = self
        place.mark = mark.cut(behind: last)
        place.carried.remove(behind: last)
        return place
    }
}

extension ReceiverOffset: LosslessStringConvertible {
    private static let problemLimit = 1_000_000

    /// Reads a mark, and in lines behind it a state and a target's id each, `sent` and the first and last number of carried events, or
    /// `incident` and what the receiver was notified of it.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, let mark = ConsumerOffset(String(first)) else { return nil }
        guard lines.count > 1 else {
            self.init(mark: mark)
            return
        }
        var problems: [String: TargetState] = [:]
        var carried = SequenceSet()
        var notices: [String: IncidentNotice] = [:]
        for line in lines.dropFirst().prefix(Self.problemLimit) where !line.isEmpty {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            if parts.count > 3, parts[0] == IncidentNotice.word {
                guard let (id, notice) = IncidentNotice.read(line.dropFirst(IncidentNotice.word.count + 1)) else {
                    return nil
                }
                notices[id] = notice
                continue
            }
            if parts.count == 3, parts[0] == "sent" {
                guard let first = UInt64(parts[1]), let last = UInt64(parts[2]), first <= last, last < .max else {
                    return nil
                }
                carried.insert(first...last)
                continue
            }
            guard parts.count == 2, !parts[1].isEmpty, let state = TargetState(rawValue: String(parts[0])),
                state.isProblem
            else { return nil }
            problems[String(parts[1])] = state
        }
        self.init(mark: mark, open: OpenProblems(problems), carried: carried)
        self.notices = notices
    }

    /// The lines behind the mark; no two are equal.
    var lines: [String] {
        guard let open else { return [] }
        let lines = open.problems.sorted { $0.key < $1.key }.map { "\($1.rawValue) \($0)" }
        let sent = carried.ranges.map { "sent \($0.lowerBound) \($0.upperBound)" }
        let incidents = notices.sorted { $0.key < $1.key }.map { $0.value.line($0.key) }
        return lines + sent + incidents
    }

    var description: String {
        guard open != nil else { return mark.description }
        let lines = lines
        return ([mark.description] + (lines.isEmpty ? [""] : lines)).joined(separator: "\n")
    }
}
