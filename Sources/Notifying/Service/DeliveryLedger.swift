// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import History
public import Monitoring

/// Who keeps the places where receivers left off. Any thread; may wait for a disk.
public protocol DeliveryLedger: Sendable {
    /// Whether what is kept outlives the process.
    var isDurable: Bool { get }
    /// All places, by receiver; nil when they cannot be read.
    func deliveryMarks() -> [String: String]?
    /// Keeps places, and forgets those that are nil. Returns at once.
    func keep(deliveryMarks changes: [String: String?])
    /// Of each target the last transition to a judgement, up to a number, if that was not `up`.
    func lastProblems(through sequence: UInt64) -> [StoredEvent]
}

extension HistoryRecorder: DeliveryLedger {}
