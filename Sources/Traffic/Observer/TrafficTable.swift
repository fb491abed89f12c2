// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Addresses

/// The watched targets with their records: pure state, which ``TrafficObserver`` holds behind a lock.
struct TrafficTable {
    private struct Target {
        var endpoints: [TrafficEndpoint]
        /// nil until the first connection.
        var record: TrafficRecord?
    }

    /// What became of one message.
    enum Outcome {
        /// Counted for targets, with the changes to report.
        case counted([TrafficChange])
        /// Discarded: not a target's, or excluded.
        case other
    }

    /// How many targets one endpoint counts for at most; further ones are watched when it is freed and they are updated. Bounds the work
    /// for one message.
    static let maximumSharers = 64

    private var targets: [String: Target] = [:]
    private(set) var targetsByEndpoint: [TrafficEndpoint: [String]] = [:]
    private var excluded = ExcludedSockets(capacity: 16_384)
    var observed: ObservedTime
    var statistics = TrafficStatistics()

    init(at now: UInt64) {
        observed = ObservedTime(capacity: TrafficRecord.capacity, at: now)
    }

    /// The watched targets.
    var ids: Set<String> { Set(targets.keys) }

    /// Watches a target, moves it to other endpoints with its record, or drops both.
    ///
    /// - Parameter endpoints: nil for a target that is not watched any more; port 0 is ignored.
    /// - Returns: Whether the set of all endpoints changed.
    mutating func update(_ id: String, _ endpoints: [TrafficEndpoint]?) -> Bool {
        let old = Set(targets[id]?.endpoints ?? [])
        let new = Set(endpoints?.filter { $0.port != 0 } ?? [])
        if endpoints == nil {
            targets[id] = nil
        } else {
            targets[id, default: Target(endpoints: [])].endpoints = Array(new)
        }
        var isChanged = false
        for endpoint in old.subtracting(new) {
            guard let index = targetsByEndpoint[endpoint]?.firstIndex(of: id) else { continue }
            targetsByEndpoint[endpoint]?.remove(at: index)
            guard targetsByEndpoint[endpoint]?.isEmpty == true else { continue }
            targetsByEndpoint[endpoint] = nil
            isChanged = true
        }
        for endpoint in new where targetsByEndpoint[endpoint]?.contains(id) != true {
            if targetsByEndpoint[endpoint] == nil { isChanged = true }
            guard targetsByEndpoint[endpoint, default: []].count < Self.maximumSharers else { continue }
            targetsByEndpoint[endpoint, default: []].append(id)
        }
        statistics.endpoints = targetsByEndpoint.count
        return isChanged
    }

    /// Remembers a socket whose end is not counted.
    mutating func exclude(_ cookie: UInt64) {
        excluded.insert(cookie)
    }

    /// Whether a socket is excluded.
    func isExcluded(_ cookie: UInt64) -> Bool { excluded.contains(cookie) }

    /// Keeps the connections of a target that hang. A target that never had a connection still costs nothing.
    mutating func note(_ hanging: HangingStanding, of id: String) {
        guard let target = targets[id], target.record != nil || hanging.examined > 0 else { return }
        if target.record == nil { targets[id]?.record = TrafficRecord(seed: hanging.time) }
        targets[id]?.record?.hanging = hanging
    }

    /// Counts an ended connection for the targets on either side of it.
    mutating func take(_ message: DiagMessage, at now: UInt64) -> Outcome {
        statistics.messages += 1
        guard let (ids, role) = targets(of: message) else {
            statistics.others += 1
            return .other
        }
        guard !excluded.remove(message.cookie) else {
            statistics.excluded += 1
            return .counted([])
        }
        guard !ids.isEmpty, let connection = EndedConnection(message, role: role) else { return .counted([]) }
        statistics.connections += 1
        return .counted(ids.compactMap { count(connection, for: $0, at: now) })
    }

    private func targets(of message: DiagMessage) -> (ids: [String], role: EndedConnection.Role)? {
        if let ids = targetsByEndpoint[message.remote] { return (ids, .client) }
        guard let ids = targetsByEndpoint[message.local], message.remote.port != 0 else { return nil }
        // The client's end of a connection inside this machine is another message, which counts.
        let isInside = message.remote.address.isLoopback || message.remote.address == message.local.address
        return isInside ? ([], .server) : (ids, .server)
    }

    private mutating func count(_ connection: EndedConnection, for id: String, at now: UInt64) -> TrafficChange? {
        // Updated in place: a copy of the record would copy its minutes.
        let seed = connection.cookie
        let isReported = { (record: inout TrafficRecord?) in
            if record == nil { record = TrafficRecord(seed: seed) }
            return record?.add(connection, at: now) == true
        }(&targets[id, default: Target(endpoints: [])].record)
        let endpoint = connection.role == .client ? connection.remote : connection.local
        return isReported
            ? TrafficChange(target: id, ending: connection.ending, endpoint: endpoint, time: now) : nil
    }

    // MARK: Reading

    /// The endpoints of a target; nil for an unknown one.
    func endpoints(of id: String) -> [TrafficEndpoint]? { targets[id]?.endpoints }

    /// The sums and the newest evidence of a target; nil for an unknown one.
    func summary(of id: String) -> TrafficSummary? {
        targets[id].map { $0.record?.summary ?? TrafficSummary() }
    }

    /// All targets with connections.
    func snapshot(at now: UInt64) -> TrafficSnapshot {
        var observed = observed
        observed.settle(at: now)
        return TrafficSnapshot(
            summaries: targets.compactMapValues { $0.record?.summary },
            share: observed.share(ofLast: 2, at: now)
        )
    }

    /// A target's last minutes; nil for an unknown target.
    func report(of id: String, lastMinutes: Int, at now: UInt64) -> TrafficReport? {
        guard let target = targets[id] else { return nil }
        var observed = observed
        observed.settle(at: now)
        return TrafficReport(target.record, lastMinutes: lastMinutes, observed: observed, at: now)
    }

    /// The statistics.
    func currentStatistics(at now: UInt64) -> TrafficStatistics {
        var (observed, statistics) = (observed, statistics)
        observed.settle(at: now)
        statistics.share = observed.share(ofLast: TrafficRecord.capacity, at: now)
        return statistics
    }
}
