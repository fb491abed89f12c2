// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Testing

@Suite("The JSON writer")
struct JSONWriterTests {
    private func write(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("Commas stand between members and elements, nowhere else")
    func structure() {
        let text = write { writer in
            writer.object { writer in
                writer.member("a", 1)
                writer.member("b") { _ in }
                writer.key("c")
                writer.array([true, false]) { $0.boolean($1) }
                writer.key("d")
                writer.array([Int]()) { $0.integer($1) }
                writer.key("e")
                writer.null()
                writer.member("f", "x")
            }
        }
        #expect(text == #"{"a":1,"b":{},"c":[true,false],"d":[],"e":null,"f":"x"}"#)
    }

    @Test("Strings are escaped where they must be, and survive")
    func escapes() throws {
        let hostile = "\u{0}\u{1}\u{8}\u{9}\n\u{b}\u{c}\r\u{1f} \"\\/ é 🙂 \u{7f}\u{2028}"
        let text = write { $0.string(hostile) }
        #expect(
            text == "\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f \\\"\\\\/ é 🙂 \u{7f}\u{2028}\""
        )
        #expect(try JSONReader.text(of: text.utf8) == hostile)
    }

    @Test(
        "Seconds from milliseconds",
        arguments: [(0, "0"), (1, "0.001"), (10, "0.01"), (1500, "1.5"), (12_345, "12.345"), (60_000, "60")]
            as [(UInt64, String)]
    )
    func seconds(milliseconds: UInt64, text: String) {
        #expect(write { $0.seconds(milliseconds: milliseconds) } == text)
    }

    @Test("The largest and smallest integers")
    func integers() {
        #expect(write { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(write { $0.integer(Int64.min) } == "-9223372036854775808")
    }

    @Test("Durations and shares have at most six decimals, cut off")
    func decimals() {
        #expect(write { $0.seconds(.milliseconds(1_500)) } == "1.5")
        #expect(write { $0.seconds(.nanoseconds(1_999)) } == "0.000001")
        #expect(write { $0.seconds(.seconds(-1)) } == "0" && write { $0.seconds(.nanoseconds(-1)) } == "0")
        #expect(write { $0.ratio(0.999_999_9) } == "0.999999")
        #expect(write { $0.ratio(2) } == "1" && write { $0.ratio(-1) } == "0")
    }

    @Test("Rendered JSON is copied unchanged, and texts are sorted by their names")
    func pieces() {
        let text = write { writer in
            writer.array { writer in
                writer.value(rendered: "{\"a\":1}".utf8)
                writer.object(texts: ["b": "2", "a": "\""])
                writer.plain { $0 += Array("now".utf8) }
                writer.object { $0.member("none", optional: nil) }
            }
        }
        #expect(text == #"[{"a":1},{"a":"\"","b":"2"},"now",{}]"#)
    }
}
