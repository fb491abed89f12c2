// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import LinuxIO
import Monitoring
import TestSupport
import Testing

@Suite("The file of cached assignments")
struct CachedAssignmentsTests {
    static let owner = CachedAssignments.Owner(
        node: "node-1",
        location: "berlin",
        database: "reachd",
        role: "reachd"
    )

    static func sample(_ count: Int = 3, declaration: String = #"{"id":"x","host":"a\n\"é"}"#) -> CachedAssignments {
        let shards = (0..<max(1, count / 2)).map { number in
            CachedAssignments.HeldShard(
                shard: Shard(placement: 3, number: number % Shard.count),
                token: UInt64(number) + 7
            )
        }
        let states: [TargetState?] = [.up, .down, .degraded, nil]
        return CachedAssignments(
            owner: owner,
            identity: "fleet-1",
            epoch: "e1",
            shards: shards,
            targets: (0..<count).map { number in
                CachedAssignments.HeldTarget(
                    target: AssignedTarget(
                        id: "target-\(number)",
                        shard: shards[number % shards.count].shard,
                        declaration: declaration,
                        isClientDeclared: number % 2 == 0
                    ),
                    beginning: UInt64(number) * 1_000,
                    state: states[number % 4]
                )
            }
        )
    }

    private static func error(_ bytes: [UInt8]) -> AssignmentCacheError.Code? {
        do throws(AssignmentCacheError) {
            _ = try CachedAssignments(reading: bytes)
            return nil
        } catch {
            return error.code
        }
    }

    private static func error(_ text: String) -> AssignmentCacheError.Code? { error(Array(text.utf8)) }

    @Test("what is written is read", arguments: [0, 1, 3, 40])
    func roundTrip(count: Int) throws {
        let sample = Self.sample(count)
        #expect(try CachedAssignments(reading: sample.encoded()) == sample)
    }

    @Test("a file that ends early is damaged, wherever it ends, and so is one with more behind it")
    func truncated() throws {
        let bytes = try Self.sample().encoded()
        for count in 0..<bytes.count { #expect(Self.error(Array(bytes.prefix(count))) == .damaged, "\(count) bytes") }
        #expect(Self.error(bytes + [10]) == .damaged)
    }

    @Test("a changed bit is found, wherever it is")
    func changed() throws {
        let bytes = try Self.sample().encoded()
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 1
            #expect(Self.error(other) != nil, "byte \(place)")
        }
    }

    @Test("another format is not read, whatever follows")
    func otherFormat() {
        #expect(Self.error("{\"format\":2,\"shape\":[1]}\nanything\n") == .unsupportedFormat)
        #expect(Self.error("{}\n") == .unsupportedFormat)
        #expect(Self.error("{\"format\":1}\n") == .damaged)
        #expect(Self.error("SQLite format 3\n") == .damaged)
    }

    @Test("counts, numbers, places and states out of their ranges, and duplicates, are refused")
    func values() throws {
        let text = String(decoding: try Self.sample(2).encoded(), as: UTF8.self)
        var lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        lines.removeLast()
        let changes: [(Int, String, String)] = [
            (0, "\"targets\":2", "\"targets\":9223372036854775807"), (0, "\"shards\":1", "\"shards\":-1"),
            (1, "[3,0,7]", "[3,1024,7]"), (1, "[3,0,7]", "[2147483648,0,7]"), (1, "[3,0,7]", "[3,0,-7]"),
            (1, "[3,0,7]", "[3,0,1e9]"), (1, "[3,0,7]", "[3,0]"), (1, "[3,0,7]", "[3,0,7,1]"), (2, "[0,", "[1,"),
            (2, "\"up\"", "\"upward\""), (2, "\"up\"", "7"), (3, "target-1", "target-0"),
        ]
        for (line, old, new) in changes {
            var other = lines
            other[line] = other[line].replacing(old, with: new)
            #expect(other[line] != lines[line], "\(old)")
            #expect(Self.error(Self.signed(other)) == .damaged, "\(new)")
        }
        #expect(Self.error(Self.signed(lines)) == nil)
    }

    /// Lines with their checksum.
    private static func signed(_ lines: [String]) -> String {
        let hash = lines.reduce(UInt64(0)) { StableHash.hash($1.utf8, seed: $0) }
        let digits = String(hash, radix: 16)
        let padding = String(repeating: "0", count: 16 - digits.count)
        return lines.joined(separator: "\n") + "\n{\"checksum\":\"\(padding)\(digits)\"}\n"
    }

    @Test("more than the limit is not written")
    func tooLarge() {
        let large = String(repeating: "x", count: 3 << 20)
        #expect(throws: AssignmentCacheError.self) { try Self.sample(90, declaration: large).encoded() }
    }

    @Test("20,000 mutations: none crashes the reader, and what passes the checksum can be written again")
    func fuzz() throws {
        var random = SeededGenerator(seed: 20_261_125)
        let original = String(decoding: try Self.sample(4).encoded(), as: UTF8.self)
        let lines = original.split(separator: "\n").dropLast().map { Array($0.utf8) }
        let pieces = [
            "[", "]", "{", "}", ",", "\"", "null", "true", "-1", "1e400", "99999999999999999999", "\\ud800", "\u{0}",
        ]
        var read = 0
        for _ in 0..<20_000 {
            var other = lines
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let line = Int.random(in: 0..<other.count, using: &random)
                let place = Int.random(in: 0...other[line].count, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: other[line].insert(.random(in: 0...255, using: &random), at: place)
                case 1: other[line].removeSubrange(place..<min(other[line].count, place + 3))
                case 2:
                    other[line].insert(contentsOf: Array((pieces.randomElement(using: &random) ?? "").utf8), at: place)
                case 3: other.swapAt(line, Int.random(in: 0..<other.count, using: &random))
                case 4: other.append(other[line])
                default: if other.count > 1 { other.remove(at: line) }
                }
            }
            let hash = other.reduce(UInt64(0)) { StableHash.hash($1, seed: $0) }
            let digits = String(hash, radix: 16)
            let end = "{\"checksum\":\"\(String(repeating: "0", count: 16 - digits.count))\(digits)\"}\n"
            // A newline in a line makes two of it, which have another checksum.
            let bytes = Array(other.joined(separator: [10])) + [10] + Array(end.utf8)
            guard let cached = try? CachedAssignments(reading: bytes) else { continue }
            read += 1
            #expect(try CachedAssignments(reading: cached.encoded()) == cached)
        }
        #expect(read > 100, "mutations inside of texts are read")
    }
}
