// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import History
package import Monitoring

/// Who keeps the places where receivers left off. Any thread; may wait for a disk.
package protocol DeliveryLedger: Sendable {
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

extension HistoryRecorder: DeliveryLedger {}
