// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import History
package import Monitoring

/// What a receiver need not be sent again: everything up to a number, and some beyond it.
///
/// Stored in the event log's file, so that a restart continues here. What is settled late holds the number back, and what
/// was acknowledged meanwhile is not sent twice.
struct ConsumerOffset: Sendable, Hashable {
    /// Everything up to this is settled.
    private(set) var floor: UInt64
    /// Settled, and not next to ``floor``.
    private(set) var beyond = SequenceSet()

    /// Ranges that are kept; what is beyond them is sent again after a restart.
    static let rangeLimit = 64

    init(floor: UInt64) { self.floor = floor }

    func isSettled(_ sequence: UInt64) -> Bool { sequence <= floor || beyond.contains(sequence) }

    func isSettled(_ range: ClosedRange<UInt64>) -> Bool {
        range.upperBound <= floor
            || beyond.ranges.contains {
                $0.lowerBound <= max(range.lowerBound, floor + 1) && $0.upperBound >= range.upperBound
            }
    }

    /// All that is settled.
    var settled: SequenceSet {
        var settled = beyond
        if floor > 0 { settled.insert(1...floor) }
        return settled
    }

    /// The same place in a log that ends with a number: what is behind it are not the events that were settled.
    func cut(behind last: UInt64) -> ConsumerOffset {
        var mark = self
        mark.floor = min(floor, last)
        mark.beyond.remove(behind: last)
        return mark
    }

    mutating func acknowledge(_ sequences: SequenceSet) {
        beyond.formUnion(sequences)
        beyond.remove(through: floor)
        while let range = beyond.ranges.first, range.lowerBound == floor + 1 {
            floor = range.upperBound
            beyond.removeFirst()
        }
    }

    mutating func acknowledge(_ range: ClosedRange<UInt64>) { acknowledge(SequenceSet(range)) }
}

extension ConsumerOffset: LosslessStringConvertible {
    /// Reads `418`, or `418 420-431 440-440`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let floor = parts.first.flatMap({ UInt64($0) }), floor < .max, parts.count <= Self.rangeLimit + 1 else {
            return nil
        }
        self.init(floor: floor)
        for part in parts.dropFirst() {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
            guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < .max else {
                return nil
            }
            acknowledge(first...last)
        }
    }

    var description: String {
        let ranges = beyond.ranges.prefix(Self.rangeLimit).map { " \($0.lowerBound)-\($0.upperBound)" }
        return "\(floor)" + ranges.joined()
    }
}

/// Stores the offsets of receivers. Any thread; may wait for a disk.
package protocol OffsetStore: Sendable {
    /// Whether what is kept outlives the process.
    var isDurable: Bool { get }
    /// Whether it is about to be so again, or to fail; the registry's readers are woken when it is known.
    var isReturning: Bool { get }
    /// All places, by receiver; nil when they cannot be read.
    func deliveryMarks() -> [String: String]?
    /// Keeps places, and forgets those that are nil. Returns at once.
    ///
    /// - Parameter numbering: the registry's, when they were taken; those of another one are not kept.
    func keep(deliveryMarks changes: [String: String?], numbering: UInt64)
    /// Of each target the last transition to a judgement, up to a number, if that was not `up`.
    func lastProblems(through sequence: UInt64) -> [RecordedEvent]
}

extension HistoryRecorder: OffsetStore {}
