// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// Records as fields, and back. What comes back may be anything, and is held against what reachd would have written.
extension TransferFields {
    init(_ record: TransferRecord) {
        switch record {
        case .event(let event): self.init(event)
        case .gap(let gap): self.init(gap)
        case .rollup(let resolution, let piece): self.init(resolution, piece)
        }
    }

    func record(_ kind: TransferKind) throws(TransferError) -> TransferRecord {
        switch kind {
        case .event: .event(try storedEvent())
        case .gap: .gap(try eventGap())
        case .rollup: try rollup()
        }
    }

    // MARK: Events

    private init(_ event: RecordedEvent) {
        set("sequence", "\(event.sequence)")
        set("at", "\(event.at)")
        set("type", event.type.rawValue)
        set("target", event.target)
        set("group", event.group)
        if !event.tags.isEmpty {
            var writer = JSONWriter(reserving: 64)
            writer.object(texts: event.tags)
            values["tags"] = writer.bytes
        }
        set("status_changed", event.isStatusChanged ? "true" : "false")
        set("from", event.transition?.from.rawValue)
        set("to", event.transition?.to.rawValue)
        set("reason", event.transition?.reason)
        set("cause", event.transition?.cause?.rawValue)
        values["data"] = event.data
        if !event.supplement.isEmpty { values["supplement"] = event.supplement }
    }

    private func storedEvent() throws(TransferError) -> RecordedEvent {
        let sequence = try number("sequence")
        guard sequence > 0, sequence <= UInt64(Int64.max) else { throw TransferError("sequence is out of range") }
        guard let type = try word("type", EventType.self) else { throw TransferError("type is missing") }
        guard let data = values["data"] else { throw TransferError("data is missing") }
        // It is sent to clients as it stands here.
        _ = try TransferLine.members(data)
        let supplement = values["supplement"] ?? []
        if !supplement.isEmpty { _ = try TransferLine.members(supplement) }
        var tags: [String: String] = [:]
        if let list = values["tags"] {
            for (name, value) in try TransferLine.members(list) { tags[name] = try TransferLine.text(value) }
        }
        let (from, to) = (try word("from", TargetState.self), try word("to", TargetState.self))
        guard (from == nil) == (to == nil), (to == nil) == (type != .state) else {
            throw TransferError("from and to belong to events of the type state")
        }
        let (reason, cause) = (self["reason"], try word("cause", StateCause.self))
        guard to != nil || reason == nil && cause == nil else {
            throw TransferError("reason and cause belong to events of the type state")
        }
        let target = self["target"]
        if let target { try Self.check(target) }
        let transition = from.flatMap { from in
            to.map { RecordedEvent.Transition(from: from, to: $0, reason: reason, cause: cause) }
        }
        return RecordedEvent(
            sequence: sequence,
            at: try moment("at"),
            type: type,
            target: target,
            group: self["group"],
            tags: tags,
            isStatusChanged: try boolean("status_changed"),
            transition: transition,
            data: data,
            supplement: supplement
        )
    }

    private func boolean(_ name: String) throws(TransferError) -> Bool {
        switch try text(name) {
        case "true": return true
        case "false": return false
        default: throw TransferError("\(name) is neither true nor false")
        }
    }

    /// What an id of a target is everywhere else.
    private static func check(_ id: String) throws(TransferError) {
        let isValid =
            (1...128).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x3a, 0x5f: true
                default: false
                }
            }
        guard isValid else { throw TransferError("target is not an id") }
    }

    // MARK: Gaps

    private init(_ gap: EventGap) {
        set("first", "\(gap.first)")
        set("last", "\(gap.last)")
        set("began", "\(gap.began)")
        set("ended", "\(gap.ended)")
        set("reason", gap.reason.rawValue)
    }

    private func eventGap() throws(TransferError) -> EventGap {
        let (first, last) = (try number("first"), try number("last"))
        guard first > 0, first <= last, last <= UInt64(Int64.max) else {
            throw TransferError("first and last are not a range")
        }
        guard let reason = try word("reason", HistoryError.Code.self) else { throw TransferError("reason is missing") }
        return EventGap(
            first: first,
            last: last,
            began: try moment("began"),
            ended: try moment("ended"),
            reason: reason
        )
    }

    // MARK: Rollups

    private init(_ resolution: RollupResolution, _ piece: RollupSegment) {
        let bucket = piece.bucket
        set("resolution", resolution.rawValue)
        set("target", piece.target)
        set("start", "\(Timestamp(milliseconds: piece.start))")
        set("observed_from_seconds", Self.seconds(UInt64(clamping: bucket.first)))
        set("observed_to_seconds", Self.seconds(UInt64(clamping: bucket.end)))
        for state in StateDurations.order where bucket.times[state] > 0 {
            set("\(state.rawValue)_seconds", Self.seconds(bucket.times[state]))
        }
        set("probes", "\(bucket.probes)")
        set("failures", "\(bucket.failures)")
        if !bucket.latencies.bins.isEmpty { set("latency", Self.list(bucket.latencies)) }
        guard !bucket.traffic.isEmpty else { return }
        for counter in TrafficSums.counters {
            set(Self.name(counter), "\(bucket.traffic[keyPath: counter.path])")
        }
        if !bucket.traffic.roundTrips.bins.isEmpty { set("traffic_round_trips", Self.list(bucket.traffic.roundTrips)) }
    }

    private static func list(_ sketch: LatencySketch) -> String {
        "[\(sketch.bins.map { "[\($0.index),\($0.count)]" }.joined(separator: ","))]"
    }

    private static func name(_ counter: TrafficSums.Counter) -> String { "traffic_\(counter.name)" }

    private func rollup() throws(TransferError) -> TransferRecord {
        guard let resolution = try word("resolution", RollupResolution.self) else {
            throw TransferError("resolution is missing")
        }
        let target = try text("target")
        try Self.check(target)
        let start = try moment("start").milliseconds
        guard start == resolution.start(of: start) else { throw TransferError("start is not the start of a period") }
        var bucket = RollupBucket()
        bucket.first = Int64(clamping: try milliseconds("observed_from_seconds"))
        bucket.end = Int64(clamping: try milliseconds("observed_to_seconds"))
        for state in StateDurations.order { bucket.times[state] = try milliseconds("\(state.rawValue)_seconds") }
        bucket.probes = try number("probes")
        bucket.failures = try number("failures")
        bucket.latencies = try sketch("latency")
        for counter in TrafficSums.counters where self[Self.name(counter)] != nil {
            bucket.traffic[keyPath: counter.path] = try number(Self.name(counter))
        }
        bucket.traffic.roundTrips = try sketch("traffic_round_trips")
        guard bucket.isPossible(resolution), !bucket.isEmpty else {
            throw TransferError(
                "the values are too large for \(resolution.rawValue == "hour" ? "an" : "a") \(resolution.rawValue)"
            )
        }
        return .rollup(resolution, RollupSegment(target: target, start: start, bucket: bucket))
    }

    private func sketch(_ field: String) throws(TransferError) -> LatencySketch {
        guard let sketch = LatencySketch(try bins(field)) else { throw TransferError("\(field) has impossible bins") }
        return sketch
    }

    private func bins(_ field: String) throws(TransferError) -> [LatencySketch.Bin] {
        guard let list = values[field] else { return [] }
        var bins: [LatencySketch.Bin] = []
        for element in try TransferLine.elements(list) {
            let pair = try TransferLine.elements(Array(element)).map { UInt64(String(decoding: $0, as: UTF8.self)) }
            guard pair.count == 2, let index = pair[0], let count = pair[1], index < UInt64(LatencySketch.binCount)
            else {
                throw TransferError("\(field) is not a list of bins")
            }
            bins.append(LatencySketch.Bin(index: Int(index), count: count))
        }
        return bins
    }
}
