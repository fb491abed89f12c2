// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Probing

@Suite("Bodies that are compressed with gzip") struct GzipBodyTests {
    /// The body, and whether it ends where it may.
    private func read(_ bytes: [UInt8], by step: Int) throws -> (text: String, isComplete: Bool) {
        let body = try GzipBody()
        var found: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            let isTaken = try unsafe Array(bytes[start...].prefix(step)).withUnsafeBufferPointer { piece in
                try unsafe body.read(piece) {
                    unsafe found.append(contentsOf: $0)
                    return true
                }
            }
            #expect(isTaken)
        }
        return (String(decoding: found, as: UTF8.self), body.isComplete)
    }

    @Test("All members count, and what follows the last one does not", arguments: [1, 3, 10_000])
    func members(step: Int) throws {
        let two = GzipSamples.hello + GzipSamples.there
        let zeros = [UInt8](repeating: 0, count: 700)
        let trails: [[UInt8]] = [
            [], zeros, Array("trailing".utf8), zeros + [7], GzipSamples.nothing, [0x1F, 0x8C, 1, 2],
            [0x1F, 0x8B, 7, 0],
        ]
        for trail in trails {
            let found = try read(two + trail, by: step)
            #expect(found.text == "hello there" && found.isComplete, "\(trail.prefix(4))")
        }
        #expect(try read(GzipSamples.nothing, by: step) == ("", true))
        #expect(try read([], by: step) == ("", true))
    }

    @Test("What is cut off is not complete", arguments: [1, 10_000]) func cutOff(step: Int) throws {
        let two = GzipSamples.hello + GzipSamples.there
        for length in 1..<two.count where length != GzipSamples.hello.count {
            #expect(try !read(Array(two.prefix(length)), by: step).isComplete, "\(length) bytes")
        }
    }

    @Test("What is not gzip, and a wrong checksum") func broken() throws {
        var wrong = GzipSamples.hello
        wrong[wrong.count - 5] ^= 1
        for bytes in [Array("hello".utf8), wrong, GzipSamples.hello + wrong] {
            let error = #expect(throws: ProbeFault.self) { _ = try read(bytes, by: 10_000) }
            #expect(error?.reason == .badContentEncoding)
        }
    }

    @Test("Whoever takes the output ends it") func limit() throws {
        let body = try GzipBody()
        let bytes = GzipSamples.hello
        let isTaken = try unsafe bytes.withUnsafeBufferPointer { try unsafe body.read($0) { _ in false } }
        #expect(!isTaken)
    }
}
