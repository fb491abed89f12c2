// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Where a receiver left off, as the event log's file keeps it: what is settled, and the problems that it was notified of by then.
struct ReceiverOffset: Sendable, Hashable {
    var mark: ConsumerOffset
    /// nil in a place that an earlier version kept.
    var open: OpenProblems?
    /// Events behind the mark whose alerts were sent to an Alertmanager and may have arrived.
    private(set) var carried: SequenceSet
    /// The window of the last outage up to the mark's floor.
    let window: OutageWindow?
    /// When the last messages that were acknowledged happened, by target, as the rate limit counts them.
    let times: [String: [Int64]]
    /// The incidents that the receiver was notified of, or is to be, by id.
    var notices: [String: IncidentNotice] = [:]
    /// The number up to which ``open`` includes everything that is settled: more can be settled in ``mark`` later.
    let openThrough: UInt64

    init(
        mark: ConsumerOffset,
        open: OpenProblems? = nil,
        carried: SequenceSet = SequenceSet(),
        window: OutageWindow? = nil,
        times: [String: [Int64]] = [:]
    ) {
        self.times = times
        self.mark = mark
        self.open = open
        self.carried = carried
        self.window = window
        openThrough = max(mark.floor, mark.beyond.last ?? 0)
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

    /// Reads a mark, and in lines behind it a state and a target's id each, with `+` where a message only counted the target,
    /// `sent` and the first and last number of carried events, `gathered` and the begin and the length of the window, or `told`, a
    /// target's id (none: outages) and the times of messages.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, let mark = ConsumerOffset(String(first)) else { return nil }
        guard lines.count > 1 else {
            self.init(mark: mark)
            return
        }
        var problems: [String: OpenProblems.Problem] = [:]
        var carried = SequenceSet()
        var window: OutageWindow?
        var times: [String: [Int64]] = [:]
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
            if parts.count == 3, parts[0] == "gathered" {
                guard let began = Int64(parts[1]), let length = Int64(parts[2]),
                    (0...OutageWindow.limit).contains(length)
                else { return nil }
                window = OutageWindow(began: began, length: length)
                continue
            }
            if parts.count >= 3, parts[0] == "told" {
                let found = parts[2...].compactMap { Int64($0) }
                guard found.count == parts.count - 2 else { return nil }
                times[String(parts[1])] = found
                continue
            }
            guard parts.count == 2 || parts.count == 3 && parts[2] == "+", !parts[1].isEmpty,
                let state = TargetState(rawValue: String(parts[0])), state.isProblem
            else { return nil }
            problems[String(parts[1])] = OpenProblems.Problem(state: state, isNamed: parts.count == 2)
        }
        self.init(mark: mark, open: OpenProblems(problems), carried: carried, window: window, times: times)
        self.notices = notices
    }

    /// The lines behind the mark; no two are equal.
    var lines: [String] {
        guard let open else { return [] }
        let lines = open.problems.sorted { $0.key < $1.key }.map { target, problem in
            "\(problem.state.rawValue) \(target)\(problem.isNamed ? "" : " +")"
        }
        let sent = carried.ranges.map { "sent \($0.lowerBound) \($0.upperBound)" }
        let gathered = window.map { ["gathered \($0.began) \($0.length)"] } ?? []
        let told = times.sorted { $0.key < $1.key }.map { target, times in
            (["told", target] + times.map(\.description)).joined(separator: " ")
        }
        let incidents = notices.sorted { $0.key < $1.key }.map { $0.value.line($0.key) }
        return lines + sent + gathered + told + incidents
    }

    var description: String {
        guard open != nil else { return mark.description }
        let lines = lines
        return ([mark.description] + (lines.isEmpty ? [""] : lines)).joined(separator: "\n")
    }
}
