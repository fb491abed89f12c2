// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import LinuxIO
import Monitoring
import Probing

/// A message's body with places for fields: `{"text": "{{target.id}} is {{to}}", "who": {{targets}}}`.
///
/// In JSON a place between quotation marks takes the field's text, escaped; outside of them its JSON value, `null` where
/// there is none. In plain text it takes the text, without control characters; in a form, percent-encoded. There are no loops,
/// conditions or functions but ``TemplatePlace``'s words.
package struct MessageTemplate: Sendable, Hashable {
    /// What the body is.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        /// JSON (RFC 8259); that it is, is checked with samples when the template is read.
        case json
        /// A form, `a=b&c=d` (application/x-www-form-urlencoded), or a part of a URL; what is written must be encoded already.
        case form
        /// Anything else.
        case text

        /// The form of a body by its content type.
        package init(contentType: String) {
            let type = contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
            self =
                if type.hasSuffix("/json") || type.hasSuffix("+json") {
                    .json
                } else if type == "application/x-www-form-urlencoded" {
                    .form
                } else {
                    .text
                }
        }
    }

    private enum Piece: Sendable, Hashable {
        case literal([UInt8])
        case field(TemplatePlace, isInString: Bool)
    }

    /// How long a template may be, in bytes.
    package static let sizeLimit = 16 << 10
    /// How many places it may have.
    package static let placeLimit = 256
    /// How long a body may become; a longer one is cut, or, as JSON, replaced by the default one.
    static let bodyLimit = 256 << 10

    private let form: Form
    private let pieces: [Piece]

    /// Reads a template.
    ///
    /// - Throws: ``TemplateError`` with what is wrong.
    package init(_ text: String, form: Form) throws(TemplateError) {
        guard text.utf8.count <= Self.sizeLimit else {
            throw TemplateError("the template has more than \(Self.sizeLimit) bytes")
        }
        var pieces: [Piece] = []
        var places = 0
        var place = PlaceTracker()
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            let literal = Array(rest[..<open.lowerBound].utf8)
            place.read(literal)
            pieces.append(.literal(literal))
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
                throw TemplateError("there is {{ without }}", hint: "write {{open}} for two braces")
            }
            guard form != .json || place.takesField else {
                throw TemplateError(
                    "a {{ is where JSON allows no value, or inside an escape",
                    hint: "put it between quotation marks, or behind a : or ,"
                )
            }
            let words = String(rest[open.upperBound..<close.lowerBound])
            pieces.append(.field(try TemplatePlace(words), isInString: place.isInString))
            place.passField()
            places += 1
            guard places <= Self.placeLimit else { throw TemplateError("there are more than \(Self.placeLimit) {{") }
            rest = rest[close.upperBound...]
        }
        pieces.append(.literal(Array(rest.utf8)))
        self.form = form
        self.pieces = pieces
        switch form {
        case .json: try check()
        case .form: try checkForm()
        case .text: break
        }
    }

    /// The body of a message.
    ///
    /// - Parameters:
    ///   - externalURL: the URL of reachd's page; nil for no links.
    ///   - valueLimit: the length to which a field of a form is shortened, in UTF-16 units.
    func render(_ message: Message, externalURL: String? = nil, valueLimit: Int = .max) -> [UInt8] {
        var bytes: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .literal(let literal): bytes += literal
            case .field(let place, let isInString):
                let value = place.value(of: message, externalURL: externalURL)
                append(value, isInString, valueLimit, to: &bytes)
            }
            guard bytes.count <= Self.bodyLimit else { return cut(bytes, message) }
        }
        return bytes
    }

    private func cut(_ bytes: [UInt8], _ message: Message) -> [UInt8] {
        switch form {
        case .json: return MessageBody.render(message)
        case .text: return Array(bytes.prefix(Self.bodyLimit))
        case .form:
            var bytes = Array(bytes.prefix(Self.bodyLimit))
            // Not in the middle of %XX.
            if let percent = bytes.suffix(2).lastIndex(of: UInt8(ascii: "%")) { bytes.removeSubrange(percent...) }
            return bytes
        }
    }

    private func append(_ value: TemplateField.Value, _ isInString: Bool, _ limit: Int, to bytes: inout [UInt8]) {
        switch (form, isInString, value) {
        case (.form, _, .text(let text)), (.form, _, .number(let text)):
            bytes += Array(URLText.escaped(text.shortened(to: limit)).utf8)
        case (.form, _, .json(let json)):
            bytes += Array(URLText.escaped(String(decoding: json, as: UTF8.self).shortened(to: limit)).utf8)
        case (.form, _, .nothing): break
        case (.text, _, .text(let text)):
            bytes += text.utf8.filter { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        case (.text, _, .number(let text)), (.json, _, .number(let text)): bytes += Array(text.utf8)
        case (.text, _, .json(let json)): bytes += json
        case (.text, _, .nothing), (.json, true, .nothing): break
        case (.json, true, .text(let text)): JSONWriter.escape(text, into: &bytes)
        case (.json, true, .json(let json)): JSONWriter.escape(String(decoding: json, as: UTF8.self), into: &bytes)
        case (.json, false, .text(let text)):
            var json = JSONWriter()
            json.string(text)
            bytes += json.bytes
        case (.json, false, .json(let json)): bytes += json
        case (.json, false, .nothing): bytes += Array("null".utf8)
        }
    }

    /// Renders messages of each kind.
    private func check() throws(TemplateError) {
        for sample in Self.samples {
            do throws(JSONError) {
                var reader = JSONReader(render(sample))
                try reader.skip()
                try reader.end()
            } catch {
                throw TemplateError(
                    "the rendered body is not JSON, from byte \(error.offset) on",
                    hint:
                        "put a text's {{field}} between quotation marks, or give the body a content_type that is not JSON"
                )
            }
        }
    }

    /// What is written must be what a form can have; most of all no line ends and blanks.
    private func checkForm() throws(TemplateError) {
        for case .literal(let bytes) in pieces where bytes.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) {
            throw TemplateError(
                "a form has a blank, a line end or a character that is not ASCII",
                hint: "write it percent-encoded, a blank as %20; {{fields}} are encoded"
            )
        }
    }

    private static var samples: [Message] {
        let test = Message.test(at: .init(milliseconds: 0))
        guard let change = test.changes.first else { return [] }
        return [test]
            + [Message.Kind.state, .outage].map { kind in
                Message(
                    kind: kind,
                    id: test.id,
                    at: test.at,
                    status: .firing,
                    severity: .critical,
                    changes: [change],
                    count: 1,
                    causes: [.target: 1]
                )
            }
    }
}

/// Knows what a place of a JSON text is.
private struct PlaceTracker {
    private(set) var isInString = false
    /// Bytes that belong to an escape which has begun.
    private var escapeRest = 0
    /// The last byte that is not a blank; nil at the beginning, or after a field.
    private var last: UInt8?
    private var isBehindField = false

    /// Whether a field can stand here whatever its value is: inside a string, or where a value is wanted.
    var takesField: Bool {
        if isInString { return escapeRest == 0 }
        guard let last else { return !isBehindField }
        return [UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ",")].contains(last)
    }

    mutating func read(_ bytes: [UInt8]) {
        for byte in bytes {
            if ![0x20, 0x09, 0x0A, 0x0D].contains(byte) { last = byte }
            if escapeRest > 0 {
                escapeRest -= 1
                // The second byte of an escape says how long it is.
                if escapeRest == 4, byte != UInt8(ascii: "u") { escapeRest = 0 }
            } else if byte == UInt8(ascii: "\\"), isInString {
                escapeRest = 5
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            }
        }
    }

    mutating func passField() {
        guard !isInString else { return }
        (last, isBehindField) = (nil, true)
    }
}

extension Substring {
    /// Where a text is; of `Foundation` and the string processing library only this would be needed.
    fileprivate func firstRange(of pattern: String) -> Range<Index>? {
        let wanted = Array(pattern.utf8)
        var start = startIndex
        while start < endIndex {
            if utf8[start...].starts(with: wanted) { return start..<utf8.index(start, offsetBy: wanted.count) }
            start = utf8.index(after: start)
        }
        return nil
    }
}

/// Why a text is not a template.
package struct TemplateError: Error, Sendable, Hashable {
    /// What is wrong, in words.
    package let message: String
    /// What to do about it.
    package let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
