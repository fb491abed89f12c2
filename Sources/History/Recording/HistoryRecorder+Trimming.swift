// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import Synchronization

/// Keeping no more than is wanted. All of it on the loop.
extension HistoryRecorder {
    func trim(_ session: RecordingSession) {
        session.isTrimDue = false
        session.sinceTrim = 0
        if let timer = session.trimTimer { loop.cancel(timer) }
        session.trimTimer = nil
        let (wall, monotonic) = (clock.now(), loop.clock.now())
        var trust = confined.trust ?? ClockTrust(wall: wall, monotonic: monotonic)
        let now = trust.look(wall: wall, monotonic: monotonic)
        confined.trust = trust
        let limit = settings.withLock { $0.retention }
        let store = session.store
        let result = TrimResult()
        run(
            session,
            { () throws(HistoryError) in
                let isMore = try store.trim(to: limit, now: now)
                result.set(isMore: isMore, oldestTime: try store.oldestTime())
            }
        ) { [self] in
            if let oldest = limit.oldest(at: now) { registry.forgetIncidents(closedBefore: oldest) }
            let (isMore, oldestTime) = result.value
            published.withLock { status in
                status.bytes = store.size
                status.oldest = store.oldest > store.head ? nil : store.oldest
                status.oldestTime = oldestTime
            }
            registry.noteServiceChange()
            session.isTrimDue = isMore
            if !isMore { scheduleTrim(session, limit, oldestTime: oldestTime, now: wall) }
        }
    }

    /// The next look, when the oldest event will be too old: not before the clock can be trusted, not after an hour.
    func scheduleTrim(
        _ session: RecordingSession,
        _ limit: RetentionLimit,
        oldestTime: Timestamp?,
        now: Timestamp
    ) {
        guard let oldestTime else { return }
        let age = now.milliseconds.subtractingReportingOverflow(oldestTime.milliseconds).partialValue
        let left = limit.milliseconds.subtractingReportingOverflow(age).partialValue
        let delay = min(max(UInt64(clamping: left), 600_000), 3_600_000)
        session.trimTimer = loop.schedule(after: delay * 1_000_000) { [weak self, weak session] in
            guard let self, let session, confined.session === session else { return }
            session.trimTimer = nil
            session.isTrimDue = true
            pull()
        }
    }

    /// Carries what a trim found from the writing thread to the loop.
    final class TrimResult: Sendable {
        private let stored = Mutex((isMore: false, oldestTime: nil as Timestamp?))

        var value: (isMore: Bool, oldestTime: Timestamp?) { stored.withLock { $0 } }

        func set(isMore: Bool, oldestTime: Timestamp?) {
            stored.withLock { $0 = (isMore, oldestTime) }
        }
    }
}

/// Decides whether the wall clock may say how old events are: a clock that was set a year ahead by mistake would have
/// everything removed.
///
/// It is trusted after it went as fast as the monotonic clock for ten minutes.
struct ClockTrust {
    static let probation: UInt64 = 600_000_000_000
    /// Milliseconds by which the clocks may differ between two looks.
    static let tolerance: Int64 = 60_000

    private var wall: Timestamp
    private var monotonic: UInt64
    private var trustedSince: UInt64

    init(wall: Timestamp, monotonic: UInt64) {
        self.wall = wall
        self.monotonic = monotonic
        trustedSince = monotonic
    }

    /// The wall clock's time if it is to be trusted; to be asked now and then, and again after ``probation``.
    mutating func look(wall: Timestamp, monotonic: UInt64) -> Timestamp? {
        let passed = Int64(clamping: (monotonic - self.monotonic) / 1_000_000)
        let (shown, isTooMuch) = wall.milliseconds.subtractingReportingOverflow(self.wall.milliseconds)
        if isTooMuch || abs(shown.subtractingReportingOverflow(passed).partialValue) > Self.tolerance {
            trustedSince = monotonic
        }
        self.wall = wall
        self.monotonic = monotonic
        return monotonic - trustedSince >= Self.probation ? wall : nil
    }
}
