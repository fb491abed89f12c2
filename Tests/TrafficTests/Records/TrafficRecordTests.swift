// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Traffic

@Suite("A target's record") struct TrafficRecordTests {
    private static let minute = ObservedTime.minute
    private static let closed = SampleMessage.client.connection()
    private static let refused = SampleMessage.refused.connection()

    @Test("counts connections and failures by minute, with the last of each")
    func counts() throws {
        var record = TrafficRecord(seed: 1)
        let (closed, refused) = (try #require(Self.closed), try #require(Self.refused))
        _ = record.add(closed, at: 5)
        _ = record.add(refused, at: 6)
        let silent = SampleMessage.refused.with(.segmentsIn, 0).with(.totalRetransmissions, 2)
        _ = record.add(try #require(silent.connection()), at: Self.minute)
        _ = record.add(try #require(SampleMessage.served.connection(.server)), at: Self.minute + 1)
        let minutes = record.minutes(last: 60, at: Self.minute + 1)
        try #require(minutes.map(\.number) == [0, 1])
        #expect(minutes[0].counts.connections == 1)
        #expect(minutes[0].counts.refused == 1)
        #expect(minutes[0].counts.bytesSent == 100)
        #expect(minutes[0].counts.bytesReceived == 50)
        #expect(minutes[0].median == 10)
        #expect(minutes[1].counts.unanswered == 1)
        #expect(minutes[1].counts.failedAttempts == 1)
        #expect(minutes[1].counts.connections == 1)
        #expect(minutes[1].counts.served == 1)
        #expect(minutes[1].counts.retransmissionShare == 0.4)
        #expect(record.standing.lastSuccess == Self.minute + 1)
        #expect(record.standing.lastFailure == Self.minute)
    }

    @Test("keeps the last 60 minutes, within the stated number of bytes")
    func ring() throws {
        var record = TrafficRecord(seed: 1)
        let closed = try #require(Self.closed)
        for minute in 0..<UInt64(1000) {
            for _ in 0..<40 { _ = record.add(closed, at: minute * Self.minute) }
        }
        let now = 999 * Self.minute
        #expect(record.minutes(last: 60, at: now).map(\.number) == Array(940...999))
        #expect(record.minutes(last: 2, at: now).map(\.number) == [998, 999])
        #expect(record.minutes(last: 2, at: now + Self.minute).map(\.number) == [999])
        #expect(record.minutes(last: 60, at: now + 100 * Self.minute).isEmpty)
        let used = record.minutes.capacity * MemoryLayout<TrafficRecord.Minute>.stride
        #expect(used <= TrafficRecord.maximumBytes)
        #expect(TrafficRecord.maximumBytes <= 5504)
    }

    @Test("each minute has a median of its own round trips")
    func medians() throws {
        var record = TrafficRecord(seed: 1)
        for (minute, roundTrip) in [UInt32(10), 1000, 20].enumerated() {
            let connection = try #require(SampleMessage.client.with(.minimumRoundTrip, roundTrip).connection())
            for _ in 0..<3 { _ = record.add(connection, at: UInt64(minute) * Self.minute) }
        }
        #expect(record.minutes(last: 60, at: 2 * Self.minute).map(\.median) == [10, 1000, 20])
        #expect(record.minutes(last: 60, at: 9 * Self.minute).map(\.median) == [10, 1000, 20])
    }

    @Test("the median is exact up to 31 round trips, and near with many")
    func median() throws {
        var sample = RoundTripSample(seed: 7)
        #expect(sample.median == nil)
        for value in UInt32(1)...31 { sample.add(value) }
        #expect(sample.median == 16)
        sample.removeAll()
        var random = SeededGenerator(seed: 3)
        for _ in 0..<100_000 { sample.add(UInt32.random(in: 0..<9000, using: &random)) }
        #expect(sample.values.count == 31)
        #expect((3000..<6000).contains(try #require(sample.median)))
        // Late values are as likely to be in it as early ones.
        var late = RoundTripSample(seed: 9)
        for value in UInt32(0)..<10_000 { late.add(value) }
        #expect((8...23).contains(late.values.count { $0 >= 5000 }))
    }
}
