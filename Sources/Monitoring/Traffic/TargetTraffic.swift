// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Traffic

/// This machine's connections to and from one target, with times of the wall clock.
package struct TargetTraffic: Sendable, Hashable {
    /// How many minutes ``recent`` covers, the present one included.
    package static let recentMinutes = 2

    /// The last 60 minutes.
    package let hour: TrafficReport
    /// The present minute and the one before.
    package let recent: TrafficReport
    /// The same moment on both clocks.
    private let present: (wall: Timestamp, loop: UInt64)

    /// Creates the figures of a moment.
    ///
    /// - Parameters:
    ///   - wall: the moment by the wall clock.
    ///   - loop: the same moment in nanoseconds of the event loop's clock, which the reports use.
    package init(hour: TrafficReport, recent: TrafficReport, at wall: Timestamp, loop: UInt64) {
        self.hour = hour
        self.recent = recent
        present = (wall, loop)
    }

    /// Whether there was any connection or attempt since the target is watched.
    package var isEmpty: Bool { hour.summary == TrafficSummary() }

    /// A time of the reports by the wall clock.
    package func time(_ nanoseconds: UInt64) -> Timestamp {
        let age = Int64(clamping: present.loop - min(present.loop, nanoseconds)) / 1_000_000
        return Timestamp(milliseconds: present.wall.milliseconds - age)
    }

    package static func == (one: TargetTraffic, other: TargetTraffic) -> Bool {
        one.hour == other.hour && one.recent == other.recent
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hour)
        hasher.combine(recent)
    }
}

extension ProbeMonitor {
    /// Whether this machine's connections are observed at present. Any thread.
    package var trafficStatus: TrafficStatus {
        if let error = trafficFailure { return .unavailable(error) }
        guard let statistics = trafficObserver?.statistics else { return .off }
        return statistics.failure.map { .unavailable($0) } ?? .observing(statistics)
    }

    /// This machine's connections to and from a target; nil when they are not observed. Any thread.
    package func traffic(of id: String) -> TargetTraffic? {
        guard let observer = trafficObserver,
            let recent = observer.report(of: id, lastMinutes: TargetTraffic.recentMinutes),
            let hour = observer.report(of: id)
        else { return nil }
        return TargetTraffic(hour: hour, recent: recent, at: wallTime, loop: loopTime)
    }

    /// The sums and the newest evidence of a target's connections; nil when they are not observed. Any thread.
    package func trafficSummary(of id: String) -> TrafficSummary? { trafficObserver?.summary(of: id) }

    /// The sums of all targets with connections; nil when connections are not observed. Any thread.
    package func trafficSnapshot() -> TrafficSnapshot? { trafficObserver?.snapshot() }

    /// Reads the connections to a target that hang at present.
    ///
    /// - Parameter completion: gets them once, on the probes' thread; nil when connections are not observed.
    package func hangingConnections(
        of id: String,
        completion: @escaping @Sendable (Result<HangingConnections, TrafficError>?) -> Void
    ) {
        guard let observer = trafficObserver, observer.readHangingConnections(of: id, completion: { completion($0) })
        else { return completion(nil) }
    }
}
