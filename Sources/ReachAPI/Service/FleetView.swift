// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import Synchronization

/// The fleet as clients of this node read it.
final class FleetView: Sendable {
    let reader: FleetReader
    /// Changes the fleet's targets; nil if changes are not accepted.
    let editor: FleetEditor?
    /// Takes a heartbeat that was evaluated here because it could not be stored.
    let keepHeartbeat: @Sendable (_ isFailure: Bool, _ detail: String?, _ target: String) -> Void
    let feed: EventRenderCache
    private let pending = Atomic<Int>(0)
    private let skipped = Atomic<UInt64>(0)
    private let summary = Mutex<FleetSummary?>(nil)

    /// The maximum number of requests that wait for the database; more are refused.
    static let maximumPending = 128

    init(
        reader: FleetReader,
        editor: FleetEditor?,
        keepHeartbeat: @escaping @Sendable (Bool, String?, String) -> Void,
        wakeStreams: @escaping @Sendable () -> Void
    ) {
        self.reader = reader
        self.editor = editor
        self.keepHeartbeat = keepHeartbeat
        let log = reader.log
        feed = EventRenderCache(
            source: log,
            snapshots: FleetSnapshots(reader: reader, wakeStreams: wakeStreams),
            recall: { position, limit, _, completion in
                log.recall(after: position, limit: limit, completion: completion)
            },
            wakeStreams: wakeStreams
        )
        log.onEvents(wakeStreams)
    }

    /// Takes a place among the pending requests; false when all are taken.
    func begin() -> Bool {
        guard pending.add(1, ordering: .relaxed).newValue <= Self.maximumPending else {
            end()
            return false
        }
        return true
    }

    /// Gives back what ``begin()`` took.
    func end() { pending.subtract(1, ordering: .relaxed) }

    /// How many rows of rollups were read that another program wrote, and are none.
    var skippedRollups: UInt64 { skipped.load(ordering: .relaxed) }

    /// Counts such rows.
    func countSkippedRollups(_ count: Int) { skipped.add(UInt64(count), ordering: .relaxed) }

    /// The number of targets in each state; counted again only after a change.
    func summarize(_ completion: @escaping @Sendable (Result<FleetSummary, FleetFault>) -> Void) {
        reader.ask(FleetVersion.question) { [self] result in
            switch result {
            case .failure(let fault): completion(.failure(fault))
            case .success(let version):
                if let known = summary.withLock({ $0 }), known.version == version { return completion(.success(known)) }
                reader.ask(FleetSummary.question) { [self] result in
                    if case .success(let made) = result { summary.withLock { $0 = made } }
                    completion(result)
                }
            }
        }
    }
}
