// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// A bucket as a file has it: some twelve bytes for a minute with two probes.
///
/// One byte says which states follow (bit 0 to 6, in the order of ``StateTimes/order``) and whether the whole bucket was looked
/// at (bit 7); then as numbers of variable length the milliseconds of those states, `first` and `end` unless bit 7 is set,
/// `probes`, `failures`, how many bins there are, and for each how far its index is behind the one before and its count.
extension RollupBucket {
    /// The bytes.
    func bytes(_ resolution: RollupResolution) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 + latencies.bins.count * 3)
        let isWhole = first == 0 && end == resolution.length
        var flags: UInt8 = isWhole ? 0x80 : 0
        for place in 0..<StateTimes.order.count where times.milliseconds[place] > 0 { flags |= 1 << place }
        bytes.append(flags)
        for place in 0..<StateTimes.order.count where times.milliseconds[place] > 0 {
            bytes.append(number: times.milliseconds[place])
        }
        if !isWhole {
            bytes.append(number: UInt64(clamping: first))
            bytes.append(number: UInt64(clamping: end))
        }
        bytes.append(number: probes)
        bytes.append(number: failures)
        bytes.append(number: UInt64(latencies.bins.count))
        var last = 0
        for bin in latencies.bins {
            bytes.append(number: UInt64(bin.index - last))
            bytes.append(number: bin.count)
            last = bin.index
        }
        return bytes
    }

    /// Reads a bucket; nil when the bytes are not one that could be.
    init?(bytes: [UInt8], _ resolution: RollupResolution) {
        var reader = ByteReader(bytes)
        guard let flags = reader.byte() else { return nil }
        self.init()
        for place in 0..<StateTimes.order.count where flags & (1 << place) != 0 {
            guard let time = reader.number(), time <= UInt64(resolution.length) else { return nil }
            times.milliseconds[place] = time
        }
        end = resolution.length
        if flags & 0x80 == 0 {
            guard let start = reader.number(), let stop = reader.number(), stop <= UInt64(resolution.length)
            else { return nil }
            (first, end) = (Int64(clamping: start), Int64(clamping: stop))
        }
        guard let probes = reader.number(), let failures = reader.number(), let count = reader.number(),
            count <= UInt64(LatencySketch.binCount)
        else { return nil }
        (self.probes, self.failures) = (probes, failures)
        var bins: [LatencySketch.Bin] = []
        var last: UInt64 = 0
        for _ in 0..<count {
            guard let step = reader.number(), let count = reader.number(), step < UInt64(LatencySketch.binCount)
            else { return nil }
            last += step
            bins.append(LatencySketch.Bin(index: Int(last), count: count))
        }
        guard reader.isAtEnd, let latencies = LatencySketch(bins) else { return nil }
        self.latencies = latencies
        guard isPossible(resolution) else { return nil }
    }

    /// Whether it could have come about: no more time than there was, no more failures than probes.
    func isPossible(_ resolution: RollupResolution) -> Bool {
        guard first >= 0, first <= end, end <= resolution.length else { return false }
        for place in 0..<StateTimes.order.count where times.milliseconds[place] > UInt64(resolution.length) {
            return false
        }
        return times.observed <= UInt64(end - first) && failures <= probes && latencies.count == probes - failures
    }
}
