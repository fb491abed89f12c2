// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
internal import Monitoring
internal import PostgreSQL

/// Follows the fleet's log while it has readers: looks after each notification, and once a second. On the loop's thread.
///
/// A notification is only a hint: behind a pooler none arrives.
final class LogFollower {
    private static let interval: UInt64 = 1_000_000_000
    private static let pageLength: Int64 = 1_024
    /// A reader that comes back this many events later reads them from the database.
    private static let longestGap: UInt64 = 4_096

    private let loop: EventLoop
    private let link: ReadingLink
    private let seen: SeenLog
    weak var log: FleetLog?
    private var isLooking = false
    /// Whether something may have happened during the look.
    private var isStale = false
    /// Whether the events in memory go on where the last look ended.
    private var isContinued = false
    /// The day of the newest event that was read, as the database writes it.
    private var day = "-infinity"
    /// The event where the last look ended; nil after a look that read none, whose day is not known.
    private var mark: LogMark?
    private var timer: TimerToken?
    private var hasEnded = false

    /// - Parameters:
    ///   - seen: takes what was read of the log.
    ///   - isListening: whether notifications reach the connection.
    init(loop: EventLoop, link: ReadingLink, seen: SeenLog, isListening: Bool = true) {
        self.loop = loop
        self.link = link
        self.seen = seen
        link.opened = { [weak self] connection, lanes in
            connection.notified = { [weak self] _ in self?.look() }
            if isListening { FleetChannel.log.listen(on: lanes) }
        }
    }

    /// Looks now, and then goes on.
    func follow() {
        link.isKept = true
        look()
        scheduleLook()
    }

    func end() {
        hasEnded = true
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    /// Reads events that are not in memory.
    ///
    /// - Parameter completion: called once; with nil when the database cannot be read.
    func recall(after sequence: UInt64, limit: Int, completion: @escaping (LogPage?) -> Void) {
        read(LogPage.recall, after: sequence, limit: Int64(limit), day: nil) { completion((try? $0.get())?.page) }
    }

    private func scheduleLook() {
        guard timer == nil, !hasEnded else { return }
        timer = loop.schedule(after: Self.interval) { [weak self] in
            guard let self else { return }
            timer = nil
            guard log?.hasReaders == true else {
                isContinued = false
                link.isKept = false
                return
            }
            look()
            scheduleLook()
        }
    }

    private func look() {
        guard let log, !hasEnded, log.hasReaders else { return }
        guard !isLooking else {
            isStale = true
            return
        }
        isLooking = true
        isStale = false
        let (number, newest) = log.beginLook()
        let continues = isContinued
        let first = continues ? newest : UInt64(Int64.max)
        read(LogPage.following, after: first, limit: Self.pageLength, day: continues ? day : "infinity") {
            [weak self] result in
            guard let self else { return }
            isLooking = false
            // A failure is repeated with the next look: the link waits between attempts to connect.
            guard case .success(let (page, rows)) = result, let evidence = try? page.evidence(rows),
                let last = try? page.mark(rows)
            else { return }
            let isNear = page.newest >= newest && page.newest - newest <= Self.longestGap
            let isLost = mark.map { evidence.lacks($0) } ?? false
            let goesOn = continues && isNear && page.epoch == log.epoch && !isLost
            // What this node sends from now on may follow events that the log does not have any more.
            if isLost || !continues { seen.doubt() }
            seen.record(last)
            if !goesOn { mark = nil } else if page.lastDay != nil { mark = last }
            log.take(page, of: number, isContinued: goesOn)
            isContinued = true
            day = goesOn ? page.lastDay ?? day : page.headDay
            if isStale || (goesOn && page.through < page.newest) { look() }
        }
    }

    private func read(
        _ statement: Statement,
        after sequence: UInt64,
        limit: Int64,
        day: String?,
        completion: @escaping (Result<(page: LogPage, rows: DatabaseRows), FleetFault>) -> Void
    ) {
        let range: [DatabaseValue] = [.integer(Int64(clamping: sequence)), .integer(limit)]
        link.execute(statement, day.map { range + [.text($0)] } ?? range) { result in
            completion(
                result.flatMap { rows in
                    Result { () throws(DatabaseError) in
                        (try LogPage(rows, after: sequence, limit: Int(limit)), rows)
                    }
                    .mapError { FleetFault($0) }
                }
            )
        }
    }
}
