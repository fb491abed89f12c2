// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import TestSupport
import Testing

@testable import Notifying

@Suite struct TemplateTests {
    private static let nasty = "a \"quote\", a \\ and a\nline\u{1}\u{7F} {{id}}"

    private func render(_ text: String, form: MessageTemplate.Form = .json, _ change: StateChange) throws -> String {
        let message = Message(change)
        return String(decoding: try MessageTemplate(text, form: form).render(message), as: UTF8.self)
    }

    @Test("in JSON a field is escaped inside a string and a value outside of one")
    func contexts() throws {
        let change = StateChange.sample(7, tags: ["team": "we\"b"], detail: Self.nasty)
        let text = try render(
            #"{"a": "<{{ reason.detail }}>", "b": {{reason.detail}}, "c": {{count}}, "d": {{target.tags}}, "e": {{target.group}}, "f": "{{target.group}}", "g\"": "{{target.tags.team}}", "h": "{{target.tags}}", "i": "{{open}}"}"#,
            change
        )
        let reading = MessageReading(body: text)
        #expect(reading.text("$.a") == "<\(Self.nasty)>")
        #expect(reading.text("$.b") == Self.nasty)
        #expect(reading.number("$.c") == 1)
        #expect(reading.text("$.d.team") == "we\"b")
        #expect(text.contains(#""e": null, "f": """#))
        #expect(reading.text(#"$['g"']"#) == "we\"b")
        #expect(reading.text("$.h") == #"{"team":"we\"b"}"#)
        #expect(reading.text("$.i") == "{{")
    }

    @Test("in plain text a field is its text without control characters")
    func plainText() throws {
        let text = try render(
            "{{target.id}} {{from}}->{{to}}: {{reason.detail}}!",
            form: .text,
            .sample(7, detail: Self.nasty)
        )
        #expect(text == "db up->down: a \"quote\", a \\ and aline {{id}}!")
    }

    @Test("fields of an incident, its duration and a link; null without an incident and without a page")
    func incident() throws {
        let names = ["id", "key", "title", "phase", "since", "total", "failing"]
        let places = names.map { #""\#($0)": {{incident.\#($0)}}"# } + [#""d": {{duration}}"#, #""l": {{link}}"#]
        let template = try MessageTemplate("{\(places.joined(separator: ","))}", form: .json)
        let message = Message.up().of(.closed)
        let body = template.render(message, externalURL: "https://reachd.example.org")
        let reading = MessageReading(body: String(decoding: body, as: UTF8.self))
        #expect(reading.text("$.id") == "7" && reading.text("$.key") == "i-7" && reading.text("$.phase") == "closed")
        #expect(reading.text("$.title") == "Database is down: connection refused" && reading.text("$.d") == "4 min")
        #expect(
            reading.text("$.since") == message.at.description
                && reading.text("$.l") == "https://reachd.example.org/?incident=7"
        )
        #expect(reading.number("$.total") == 1 && reading.number("$.failing") == 0)
        let none = String(decoding: template.render(.up()), as: UTF8.self)
        #expect(none == "{\((names + ["d", "l"]).map { #""\#($0)": null"# }.joined(separator: ","))}")
    }

    @Test("words of fields that have fixed ones are replaced")
    func words() throws {
        let text =
            #"{"a": "{{ status | firing=trigger, resolved=resolve }}", "b": {{to|down=5}}, "c": "{{severity|info=low}}"}"#
        #expect(
            try render(text, .sample(7)) == #"{"a": "trigger", "b": "5", "c": "critical"}"#
        )
        #expect(try render(text, .sample(8, "db", .down, .up)).hasPrefix(#"{"a": "resolve", "b": "up""#))
    }

    @Test("in a form each field is percent-encoded")
    func formEncoding() throws {
        let form = try render(
            "title={{target.id}}&text={{reason.detail}}&n={{count}}&tags={{target.tags}}&none={{target.group}}",
            form: .form,
            .sample(7, "a&b=ü", tags: ["x": "1"], detail: "50% + 1\r\n")
        )
        #expect(
            form
                == "title=a%26b%3D%C3%BC&text=50%25%20%2B%201%0D%0A&n=1&tags=%7B%22x%22%3A%221%22%7D&none="
        )
        #expect(MessageTemplate.Form(contentType: "application/x-www-form-urlencoded; charset=utf-8") == .form)
        #expect(MessageTemplate.Form(contentType: "application/problem+JSON") == .json)
        #expect(MessageTemplate.Form(contentType: "text/plain") == .text)
        #expect(throws: TemplateError.self) { try MessageTemplate("a=b c", form: .form) }
        #expect(throws: TemplateError.self) { try MessageTemplate("a={{id}}\n", form: .form) }
        let long = try MessageTemplate(String(repeating: "{{message}}", count: 200), form: .form)
        let message = Message(.sample(1, detail: String(repeating: "ü", count: 900)))
        let body = long.render(message)
        #expect(body.count > MessageTemplate.bodyLimit - 3 && !body.suffix(2).contains(UInt8(ascii: "%")))
    }

    @Test("fields of a URL are percent-encoded and shortened, and none of them is in front of the path")
    func urls() throws {
        let template = try URLTemplate("https://h:8443/a/{{target.id}}?text={{reason.detail}}&s={{status|firing=down}}")
        let message = Message(
            .sample(7, "../x?y#z", detail: String(repeating: "ü&", count: 300))
        )
        let url = try #require(template.render(message))
        #expect(url.host == "h" && url.port == 8443)
        #expect(url.target.hasPrefix("/a/..%2Fx%3Fy%23z?text=%C3%BC%26%C3%BC%26"))
        #expect(url.target.hasSuffix("&s=down") && url.target.utf8.count < 1_000)
        let longest = try URLTemplate("https://h/" + String(repeating: "{{reason.detail}}", count: 8))
        #expect(
            longest.render(Message(.sample(7, detail: String(repeating: "€", count: 900))))
                != nil
        )
        for text in [
            "https://h/../{{id}}", "https://h/a/%2E/{{id}}",
            "https://{{target.id}}/", "{{id}}://h/", "https://h{{id}}/", "https://h:{{count}}/", "https://{{id}}@h/",
            "https://h/#{{id}}",
            "https://h/{{nothing}}", "https://h/{{id", "https://h/a b{{id}}",
            "https://h/" + String(repeating: "{{id}}", count: 9),
        ] { #expect(throws: TemplateError.self, "\(text)") { try URLTemplate(text) } }
    }

    @Test("every field has a value in JSON, for every kind of message, with and without quotation marks")
    func everyField() throws {
        for name in TemplateField.words.keys where name != "open" {
            let template = try MessageTemplate(#"{"x": {{\#(name)}}, "y": "{{\#(name)}}"}"#, form: .json)
            let messages = [
                .test(at: Timestamp(milliseconds: 0)), Message(.sample(1)), .outage(2), .outage(2, isOver: true),
            ]
            for message in messages {
                let body = String(decoding: template.render(message), as: UTF8.self)
                #expect(MessageReading(body: body).isJSON, "\(name) of \(message.kind): \(body)")
            }
        }
    }

    struct Faulty: Sendable, CustomTestStringConvertible {
        let text: String
        let words: String
        var testDescription: String { text.isEmpty ? "empty" : String(text.prefix(40)) }
    }

    @Test(
        "invalid templates are refused with a reason",
        arguments: [
            Faulty(text: #"{"a": "{{target.nam}}"}"#, words: "there is no field target.nam"),
            Faulty(text: #"{"a": "{{status|firing=a,on=b}}"}"#, words: "other than WORD=TEXT"),
            Faulty(text: #"{"a": "{{status|firing=a,firing=b}}"}"#, words: "a word twice"),
            Faulty(text: #"{"a": "{{status|}}"}"#, words: "other than WORD=TEXT"),
            Faulty(text: #"{"a": "{{text|a=b}}"}"#, words: "words of text cannot be replaced"),
            Faulty(text: #"{"a": "{{id}"}"#, words: "there is {{ without }}"),
            Faulty(text: #"{"a": {{id}}"#, words: "not JSON"),
            Faulty(text: #"{"a": {{id}} {{id}}}"#, words: "JSON allows no value"),
            Faulty(text: "", words: "not JSON"),
            Faulty(text: #"{"a": "\{{id}}"}"#, words: "inside an escape"),
            Faulty(text: #"{"a": "\u00{{id}}"}"#, words: "inside an escape"),
            Faulty(text: #"{"a": 1{{count}}}"#, words: "JSON allows no value"),
            Faulty(text: #"[{{count}}{{count}}]"#, words: "JSON allows no value"),
            Faulty(text: #"{ {{id}}: 1}"#, words: "JSON allows no value"),
            Faulty(text: #"{"a": "{{target.tags.}}"}"#, words: "there is no field target.tags."),
            Faulty(text: String(repeating: " ", count: MessageTemplate.sizeLimit + 1), words: "more than 16384 bytes"),
            Faulty(
                text: #"""# + String(repeating: "{{id}}", count: MessageTemplate.placeLimit + 1),
                words: "more than 256"
            ),
        ]
    )
    func refused(faulty: Faulty) {
        do throws(TemplateError) {
            _ = try MessageTemplate(faulty.text, form: .json)
            Issue.record("taken")
        } catch {
            #expect(error.message.contains(faulty.words), "\(error.message)")
        }
    }

    @Test("the output of a template is limited in size, and still JSON")
    func bounded() throws {
        let places = String(repeating: "{{message}},", count: 255)
        let template = try MessageTemplate("[\(places)1]", form: .json)
        let changes = (1...100).map {
            StateChange.sample($0, "target-\($0)", detail: String(repeating: "\u{1}", count: 900))
        }
        let message = Message(changes)
        #expect(template.render(message) == MessageBody.render(message))
    }

    @Test(
        "random templates are refused, or their output is JSON whatever the fields contain",
        arguments: UInt64(0)..<40
    )
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces =
            ["{{", "}}", "{", "}", "[", "]", "\"", "\\", ",", ":", "1", " ", "\n", "é", "{{id}}", "{{ text }}", "null"]
            + ["\"a\":", "{{targets}}", "{{message}}", "{{target.tags.x}}", "{{reason.detail}}", "\\u00", "\\\""]
        var taken = 0
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...9, using: &random)
            let inner = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let text = random.once(in: 2) ? "{\"k\": \"\(inner)\"}" : "[\(inner)]"
            guard let template = try? MessageTemplate(text, form: .json) else { continue }
            taken += 1
            let change = StateChange.sample(7, Self.nasty, tags: ["x": "\"\\"], detail: Self.nasty)
            for message in [Message(change), Message([change, change])] {
                let body = String(decoding: template.render(message), as: UTF8.self)
                #expect(MessageReading(body: body).isJSON, "\(text) made \(body)")
            }
        }
        #expect(taken > 100)
    }

    @Test("random bytes as a template never trap", arguments: UInt64(0)..<20)
    func fuzzBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                random.once(in: 3)
                    ? UInt8.random(in: 0...255, using: &random)
                    : Array("{}\"\\ai".utf8).randomElement(using: &random) ?? 0
            }
            let text = String(decoding: bytes, as: UTF8.self)
            for form in MessageTemplate.Form.allCases {
                guard let template = try? MessageTemplate(text, form: form) else { continue }
                _ = template.render(Message(.sample(1)))
            }
        }
    }
}
