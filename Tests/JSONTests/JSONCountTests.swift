// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import TestSupport
import Testing

@Suite("The length of a list that is not read") struct JSONCountTests {
    private func count(_ text: String, upTo limit: Int = .max) -> Int {
        JSONReader.count(of: "targets", in: Array(text.utf8), upTo: limit)
    }

    @Test(
        "the list at the name in the outermost object",
        arguments: [
            (#"{"targets":[]}"#, 0), (#"{"targets":[ ]}"#, 0), (#"{"targets":[{}]}"#, 1), (#"{"targets":[1]}"#, 1),
            (#"{"targets":["a,b"]}"#, 1), (#" { "targets" : [ {"a":[1,2]} , [3,4] , "x\",y" ] } "#, 3),
            (#"{"a":[1,2,3],"targets":[1,2],"b":[1,2,3]}"#, 2), (#"{"targets":[1],"targets":[1,2]}"#, 2),
            (#"{"targets":[1,2],"targets":[1]}"#, 2), (#"{"a":{"targets":[1,2]}}"#, 0), (#"[{"targets":[1,2]}]"#, 0),
            (#"{"targets":{"a":[1,2]},"b":1}"#, 0), (#"{"a":"targets","b":[1,2]}"#, 0),
            (#"{"targets":1,"b":[1,2]}"#, 0),
            ("", 0), (#"{"targets":[1,2"#, 2), (#"{"targets":[1,"a"#, 2),
            (#"]}{"targets":[1,2]}"#, 0), (#"{"targets":["\"#, 1),
        ]
    )
    func lengths(text: String, expected: Int) {
        #expect(count(text) == expected)
    }

    @Test("counting ends behind the limit") func limit() {
        let text = #"{"targets":[\#(String(repeating: "0,", count: 1_000))0]}"#
        #expect(count(text) == 1_001 && count(text, upTo: 10) == 11 && count(text, upTo: 0) == 1)
    }

    @Test("accepts the same JSON as the reader") func agreement() throws {
        var random = SeededGenerator(seed: 0xc0_0417)
        func value(_ depth: Int) -> String {
            switch random.next() % (depth > 3 ? 3 : 5) {
            case 0: return "1"
            case 1: return #""a\"],{""#
            case 2: return "null"
            case 3: return "[" + (0..<random.next() % 4).map { _ in value(depth + 1) }.joined(separator: ", ") + "]"
            default:
                let pairs = (0..<random.next() % 4).map { _ in
                    (random.next() % 2 == 0 ? #""targets":"# : #""x":"#) + value(depth + 1)
                }
                return "{" + pairs.joined(separator: ",") + "}"
            }
        }
        for _ in 0..<1_000 {
            let text = value(0)
            var reader = JSONReader(Array(text.utf8))
            var lengths: [Int] = []
            if try reader.kind() == .object {
                try reader.beginObject()
                while let name = try reader.nextName() {
                    let bytes = Array(text.utf8)[try reader.skip()]
                    guard name == "targets", let elements = try? JSONReader.elements(of: Array(bytes)) else { continue }
                    lengths.append(elements.count)
                }
            }
            #expect(count(text) == lengths.max() ?? 0, "\(text)")
        }
    }
}
