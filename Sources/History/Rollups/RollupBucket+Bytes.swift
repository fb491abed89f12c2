// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// A bucket as a file or a fleet's database has it: some twelve bytes for a minute with two probes.
///
/// One byte says which states follow (bit 0 to 6, in the order of ``StateDurations/order``) and whether the whole bucket was looked
/// at (bit 7); then as numbers of variable length the milliseconds of those states, `first` and `end` unless bit 7 is set,
/// `probes`, `failures`, how many bins there are, and for each how far its index is behind the one before and its count. A bucket with
/// connections then has how many counters there are, each of ``TrafficSums/counters``, and the bins of the round trips.
extension RollupBucket {
    /// The bytes.
    package func bytes(_ resolution: RollupResolution) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 + latencies.bins.count * 3)
        let isWhole = first == 0 && end == resolution.length
        var flags: UInt8 = isWhole ? 0x80 : 0
        for place in 0..<StateDurations.order.count where times.milliseconds[place] > 0 { flags |= 1 << place }
        bytes.append(flags)
        for place in 0..<StateDurations.order.count where times.milliseconds[place] > 0 {
            bytes.append(number: times.milliseconds[place])
        }
        if !isWhole {
            bytes.append(number: UInt64(clamping: first))
            bytes.append(number: UInt64(clamping: end))
        }
        bytes.append(number: probes)
        bytes.append(number: failures)
        bytes.append(latencies)
        guard !traffic.isEmpty else { return bytes }
        bytes.append(number: UInt64(TrafficSums.counters.count))
        for counter in TrafficSums.counters { bytes.append(number: traffic[keyPath: counter.path]) }
        bytes.append(traffic.roundTrips)
        return bytes
    }

    /// Reads a bucket; nil when the bytes are not one that could be.
    package init?(bytes: [UInt8], _ resolution: RollupResolution) {
        var reader = ByteReader(bytes)
        guard let flags = reader.byte() else { return nil }
        self.init()
        for place in 0..<StateDurations.order.count where flags & (1 << place) != 0 {
            guard let time = reader.number(), time <= UInt64(resolution.length) else { return nil }
            times.milliseconds[place] = time
        }
        end = resolution.length
        if flags & 0x80 == 0 {
            guard let start = reader.number(), let stop = reader.number(), stop <= UInt64(resolution.length)
            else { return nil }
            (first, end) = (Int64(clamping: start), Int64(clamping: stop))
        }
        guard let probes = reader.number(), let failures = reader.number(), let latencies = reader.sketch()
        else { return nil }
        (self.probes, self.failures, self.latencies) = (probes, failures, latencies)
        if !reader.isAtEnd {
            guard let traffic = reader.traffic() else { return nil }
            self.traffic = traffic
        }
        guard reader.isAtEnd, isPossible(resolution) else { return nil }
    }

    /// Whether it could have come about: no more time than there was, no more failures than probes.
    func isPossible(_ resolution: RollupResolution) -> Bool {
        guard first >= 0, first <= end, end <= resolution.length else { return false }
        for place in 0..<StateDurations.order.count where times.milliseconds[place] > UInt64(resolution.length) {
            return false
        }
        return times.observed <= UInt64(end - first) && failures <= probes && latencies.count == probes - failures
            && traffic.isPossible
    }
}

/// Reads numbers from bytes that may be anything.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8? { rest.popFirst() }

    /// A number in groups of seven bits, the lowest first (LEB128); nil when it has no end or is too large.
    mutating func number() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.popFirst() {
            let bits = UInt64(byte & 0x7f)
            guard shift < 63 || (shift == 63 && bits <= 1) else { return nil }
            value |= bits << shift
            guard byte & 0x80 != 0 else { return value }
            shift += 7
        }
        return nil
    }

    mutating func sketch() -> LatencySketch? {
        guard let count = number(), count <= UInt64(LatencySketch.binCount) else { return nil }
        var bins: [LatencySketch.Bin] = []
        var last: UInt64 = 0
        for _ in 0..<count {
            guard let step = number(), let count = number(), step < UInt64(LatencySketch.binCount) else { return nil }
            last += step
            bins.append(LatencySketch.Bin(index: Int(last), count: count))
        }
        return LatencySketch(bins)
    }

    /// Connections, of which there is at least one.
    mutating func traffic() -> TrafficSums? {
        guard let count = number(), count == UInt64(TrafficSums.counters.count) else { return nil }
        var traffic = TrafficSums()
        for counter in TrafficSums.counters {
            guard let value = number() else { return nil }
            traffic[keyPath: counter.path] = value
        }
        guard let roundTrips = sketch(), !traffic.isEmpty else { return nil }
        traffic.roundTrips = roundTrips
        return traffic
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ sketch: LatencySketch) {
        append(number: UInt64(sketch.bins.count))
        var last = 0
        for bin in sketch.bins {
            append(number: UInt64(bin.index - last))
            append(number: bin.count)
            last = bin.index
        }
    }

    /// Appends a number in groups of seven bits, the lowest first (LEB128).
    mutating func append(number: UInt64) {
        var rest = number
        while rest > 0x7f {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
