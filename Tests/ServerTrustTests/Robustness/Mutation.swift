// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport

/// Changes to bytes, as trouble or malice makes them.
struct Mutation {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// A number below a limit.
    mutating func pick(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    /// One of several.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[pick(values.count)] }

    /// Bytes changed in one to three places.
    ///
    /// - Parameter others: What parts are taken from.
    mutating func apply(to bytes: [UInt8], others: [[UInt8]]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...pick(3) where !bytes.isEmpty { change(&bytes, others) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8], _ others: [[UInt8]]) {
        let place = pick(bytes.count)
        switch pick(10) {
        case 0...3: bytes[place] ^= 1 << UInt8(pick(8))
        case 4: bytes[place] = UInt8(pick(256))
        // Lengths, where DER has them, are what parsers stumble over.
        case 5: bytes[place] = pick([0x00, 0x01, 0x7F, 0x80, 0x81, 0x82, 0x83, 0x84, 0xFE, 0xFF])
        case 6: bytes.removeLast(min(bytes.count, 1 + pick(64)))
        case 7: bytes.removeSubrange(place..<min(bytes.count, place + 1 + pick(8)))
        case 8: bytes.insert(contentsOf: (0...pick(8)).map { _ in UInt8(pick(256)) }, at: place)
        default:
            let other = pick(others)
            let start = pick(other.count)
            let part = other[start..<min(other.count, start + 1 + pick(64))]
            bytes.replaceSubrange(place..<min(bytes.count, place + part.count), with: part)
        }
    }
}
