// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Monitoring

/// Where readers of the log left off that come back after a restart.
extension HistoryRecorder {
    /// Where readers left off, by name; nil when the log cannot be read now. Any thread but the recorder's; waits for the disk.
    package func deliveryMarks() -> [String: String]? {
        guard let store = currentStore else { return nil }
        return reading { () throws(HistoryError) in try store.marks() }
    }

    /// Keeps where readers left off, and forgets those that are nil; as soon as the log can be written. Any thread.
    ///
    /// - Parameter numbering: the registry's, when the places were taken: those of another one mean other events, and are not kept.
    package func keep(deliveryMarks changes: [String: String?], numbering: UInt64) {
        loop.execute { [weak self] in
            // Only this thread moves the events.
            guard let self, !confined.isOver, registry.numbering == numbering else { return }
            confined.marks.merge(changes) { $1 }
            pull()
        }
    }

    /// Of each target the last transition to a judgement up to a number, if that was not `up`. Any thread but the recorder's; waits
    /// for the disk.
    package func lastProblems(through sequence: UInt64) -> [RecordedEvent] {
        guard let store = currentStore else { return [] }
        return reading { () throws(HistoryError) in try store.lastProblems(through: sequence) } ?? []
    }

    private var currentStore: (any EventStore)? {
        loop.executeAndWait { [self] in confined.session?.store } ?? nil
    }

    private func reading<Value>(_ body: () throws(HistoryError) -> Value) -> Value? {
        do throws(HistoryError) {
            return try body()
        } catch {
            log(HistoryNote(.error, "the event log does not say where receivers of notifications left off: \(error)"))
            return nil
        }
    }

    /// On the loop, when the log is free.
    func writeMarks(_ session: RecordingSession) {
        let marks = confined.marks
        confined.marks = [:]
        let store = session.store
        run(session, { () throws(HistoryError) in try store.setMarks(marks) }, then: {})
    }
}
