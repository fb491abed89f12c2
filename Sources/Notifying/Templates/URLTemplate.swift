// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
package import Probing

/// A URL with places for fields in its path and query: `https://chat.example.org/rooms/{{target.group}}?text={{text}}`.
///
/// Fields are percent-encoded, also slashes: they cannot change which server a message goes to, nor add parts to the path or
/// parameters to the query. A field that is `..` would remove a part, also percent-encoded: then there is no URL.
package struct URLTemplate: Sendable, Hashable {
    /// How many places it may have, how long its own text may be in bytes, and how long a field becomes in UTF-16 units: a URL
    /// has at most 8 KiB.
    private static let (placeLimit, sizeLimit, valueLimit) = (8, 900, 100)

    private let template: MessageTemplate

    /// Whether a text has a place.
    package static func isTemplate(_ text: String) -> Bool { text.contains("{{") }

    /// Reads a template.
    ///
    /// - Throws: ``TemplateError``, also for a place in front of the path.
    package init(_ text: String) throws(TemplateError) {
        guard text.utf8.count <= Self.sizeLimit else {
            throw TemplateError("a URL with {{ has more than \(Self.sizeLimit) bytes")
        }
        let places = text.split(separator: "{{", omittingEmptySubsequences: false).count - 1
        guard places <= Self.placeLimit else { throw TemplateError("the URL has more than \(Self.placeLimit) {{") }
        let first = text.split(separator: "{{", maxSplits: 1, omittingEmptySubsequences: false)[0]
        let parts = first.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].contains(where: { "/?".contains($0) }), !parts[1].contains("#") else {
            throw TemplateError(
                "a {{ is in front of the path, or behind a #",
                hint: "the server cannot depend on a message"
            )
        }
        template = try MessageTemplate(text, form: .form)
        guard !Self.hasDotSegment(self.text(for: Self.sampleMessage)) else {
            throw TemplateError("the URL has . or .. as a part of its path", hint: "write the path without them")
        }
    }

    /// The URL for a message; nil when it is none, or when a field makes a part of the path `.` or `..`.
    func render(_ message: Message, externalURL: String? = nil) -> HTTPURL? {
        let text = text(for: message, externalURL: externalURL)
        guard !Self.hasDotSegment(text) else { return nil }
        return try? HTTPURL(text)
    }

    /// The URL for a message that means nothing, to check it with; nil when it is none.
    package var sample: HTTPURL? { render(Self.sampleMessage) }

    private static var sampleMessage: Message { .test(at: Timestamp(milliseconds: 0)) }

    private func text(for message: Message, externalURL: String? = nil) -> String {
        let bytes = template.render(message, externalURL: externalURL, valueLimit: Self.valueLimit)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a part of the path is `.` or `..`, which URL parsers remove, also percent-encoded (RFC 3986, section 5.2.4).
    private static func hasDotSegment(_ url: String) -> Bool {
        guard let start = url.firstRange(of: "://")?.upperBound else { return false }
        let path = url[start...].prefix { !"?#".contains($0) }
        return path.split(separator: "/").dropFirst().contains { segment in
            [".", ".."].contains(segment.lowercased().replacing("%2e", with: "."))
        }
    }
}
