// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL

/// Creates the partitions of the fleet's log and of its rollups for the next days and months, and drops those that are too old, as well
/// as old incidents; only the coordinator does it. On one event loop's thread.
///
/// Repeated each hour, and each minute after a failure: there is a week's time.
final class PartitionMaintenance {
    private let loop: EventLoop
    private let session: FleetSession
    private let log: @Sendable (LogMessage) -> Void
    /// When to do it next, in nanoseconds of the loop's clock.
    private var next: UInt64 = 0
    /// How many days ahead there were partitions, and when that was.
    private var created: (days: Int, at: UInt64)?

    private static let interval: UInt64 = 3_600_000_000_000
    private static let retry: UInt64 = 60_000_000_000
    /// How many closed incidents stay at most, and how many are deleted at once.
    private static let closedIncidents: Int64 = 10_000
    private static let trimStep: Int64 = 256
    private static let day: UInt64 = 86_400_000_000_000

    init(loop: EventLoop, session: FleetSession, log: @escaping @Sendable (LogMessage) -> Void) {
        (self.loop, self.session, self.log) = (loop, session, log)
    }

    /// For how many more days there are partitions; nil before this is known.
    var daysAhead: Int? {
        created.map { max(0, $0.days - Int((loop.clock.now() - $0.at) / Self.day)) }
    }

    /// Makes everything due: another server may have other partitions.
    func restart() { (next, created) = (0, nil) }

    /// Does what is due.
    ///
    /// - Parameter time: how long events are kept.
    func continueWork(keeping time: Duration) {
        guard loop.clock.now() >= next else { return }
        next = loop.clock.now() + Self.interval
        execute(
            LogPartitions.create,
            LogPartitions.daysAhead,
            "create the partitions of the fleet's log for the next days"
        ) { [weak self] days in
            guard let self else { return }
            created = (days, loop.clock.now())
        }
        execute(
            RollupPartitions.create,
            RollupPartitions.monthsAhead,
            "create the partitions of the fleet's rollups for the next months"
        ) { _ in }
        let days = Int(clamping: max(1, time.components.seconds / 86_400))
        drop(LogPartitions.drop, "fleet's log", days)
        drop(RollupPartitions.drop, "fleet's rollups", days)
        trim(before: Int64(clamping: days))
    }

    /// Deletes closed incidents that are older than events are kept, and the oldest of too many.
    private func trim(before days: Int64) {
        let parameters: [DatabaseValue] = [
            .integer(days * 86_400_000_000), .integer(Self.closedIncidents), .integer(Self.trimStep),
        ]
        execute(IncidentStatements.trim, parameters, "delete old incidents of the fleet") { [weak self] deleted in
            if deleted >= Int(Self.trimStep) { self?.trim(before: days) }
        }
    }

    private func drop(_ statement: Statement, _ name: String, _ days: Int) {
        execute(statement, days, "drop old partitions of the \(name)") { [weak self] dropped in
            guard dropped > 0, let self else { return }
            log(LogMessage(.info, "dropped old partitions of the \(name)", facts: ["partitions": "\(dropped)"]))
            if dropped >= LogPartitions.dropLimit { drop(statement, name, days) }
        }
    }

    private func execute(
        _ statement: Statement,
        _ parameter: Int,
        _ words: String,
        _ completion: @escaping (Int) -> Void
    ) {
        execute(statement, [.integer(Int64(parameter))], words, completion)
    }

    private func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        _ words: String,
        _ completion: @escaping (Int) -> Void
    ) {
        session.execute(statement, parameters) { [weak self] result in
            switch result {
            case .success(let rows): completion((try? rows.integer(0, 0)).map { Int(clamping: $0) } ?? 0)
            case .failure(let error):
                guard let self else { return }
                next = loop.clock.now() + Self.retry
                log(
                    LogMessage(
                        .warning,
                        "cannot \(words); trying again in a minute",
                        facts: ["code": error.reason.rawValue, "error": error.message]
                    )
                )
            }
        }
    }
}
