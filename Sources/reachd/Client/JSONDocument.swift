// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Monitoring

/// A part of a service's answer. Nothing is believed of it: what is missing or of another type is nil.
struct JSONDocument {
    /// The bytes are not JSON, or too deep or too many.
    struct Malformed: Error {}

    private let node: YAMLNode

    private init(_ node: YAMLNode) {
        self.node = node
    }

    init(_ bytes: [UInt8]) throws(Malformed) {
        do throws(YAMLError) {
            node = try JSONReader.read(bytes)
        } catch {
            throw Malformed()
        }
    }

    /// What is at a path of names.
    subscript(_ path: String...) -> JSONDocument? {
        var found = node
        for name in path {
            guard let next = found[name] else { return nil }
            found = next
        }
        return JSONDocument(found)
    }

    /// The text that it is.
    var text: String? {
        if case .scalar(let text, isPlain: false) = node.content { text } else { nil }
    }

    /// The text that it is, safe for a terminal.
    var words: String? { text.map { TerminalText.safe($0) } }

    private var literal: String? {
        if case .scalar(let text, isPlain: true) = node.content { text } else { nil }
    }

    /// The number that it is.
    var number: Double? { literal.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } }

    /// The whole number that it is.
    var integer: Int? { literal.flatMap { Int($0) } }

    /// Whether it is true or false.
    var boolean: Bool? { literal.flatMap { Bool($0) } }

    /// The moment that it is.
    var moment: Timestamp? { text.flatMap { Timestamp(parsing: $0) } }

    /// The elements of the list that it is.
    var elements: [JSONDocument]? {
        if case .sequence(let nodes) = node.content { nodes.map(JSONDocument.init) } else { nil }
    }

    /// The members of the object that it is.
    var members: [(name: String, value: JSONDocument)]? {
        guard case .mapping(let pairs) = node.content else { return nil }
        return pairs.map { ($0.key.text ?? "", JSONDocument($0.value)) }
    }

    /// Itself in one line, members sorted by their names: equal values are equal texts.
    var canonical: String {
        switch node.content {
        case .scalar(let text, let isPlain): isPlain ? text : "\"\(text)\""
        case .sequence(let nodes): "[" + nodes.map { JSONDocument($0).canonical }.joined(separator: ", ") + "]"
        case .mapping(let pairs):
            "{"
                + pairs.map { "\($0.key.text ?? ""): \(JSONDocument($0.value).canonical)" }.sorted()
                .joined(separator: ", ") + "}"
        }
    }
}
