// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
package import Schema

/// A piece of a YAML document, with the place where it stands.
///
/// Nothing is interpreted: a scalar is text, and what it means is up to the one who knows which type is wanted. This
/// is what keeps `no` a country and `1.10` a version.
package struct YAMLNode: Sendable {
    /// What the piece is.
    package enum Content: Sendable {
        /// Text, and whether it stood there without quotes.
        case scalar(String, isPlain: Bool)
        /// A list.
        case sequence([YAMLNode])
        /// Pairs in the order of the text, duplicate keys included.
        case mapping([Pair])
    }

    /// A key and what it stands for.
    package struct Pair: Sendable {
        /// The key.
        package let key: YAMLNode
        /// What it stands for.
        package let value: YAMLNode

        /// Creates a pair.
        package init(key: YAMLNode, value: YAMLNode) {
            self.key = key
            self.value = value
        }
    }

    /// What the piece is.
    package let content: Content
    // There are a million nodes in a large file: narrow numbers, and a box for what hardly any has.
    private let line: UInt32
    private let column: UInt32
    private let count: UInt32
    private let tagBox: TagBox?

    private final class TagBox: Sendable {
        let tag: String

        init(_ tag: String) {
            self.tag = tag
        }
    }

    /// Creates a node.
    package init(_ content: Content, position: YAMLPosition, tag: String? = nil) {
        self.content = content
        line = UInt32(clamping: position.line)
        column = UInt32(clamping: position.column)
        tagBox = tag.map(TagBox.init)
        let weight =
            switch content {
            case .scalar: 1
            case .sequence(let items): items.reduce(1) { $0 + $1.weight }
            case .mapping(let pairs): pairs.reduce(1) { $0 + $1.key.weight + $1.value.weight }
            }
        count = UInt32(clamping: weight)
    }

    /// Where it begins. What an alias stands for keeps the place of its anchor.
    package var position: YAMLPosition { YAMLPosition(line: Int(line), column: Int(column)) }

    /// The explicit tag, such as `!!binary`, if there was one.
    package var tag: String? { tagBox?.tag }

    /// The number of nodes that a walk over this one meets, with aliases counted each time.
    package var weight: Int { Int(count) }

    /// The text of a scalar.
    package var text: String? {
        guard case .scalar(let text, _) = content else { return nil }
        return text
    }

    /// Whether this is what YAML calls null: nothing, `~` or `null`, without quotes.
    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return text.isEmpty || text == "~" || text == "null" || text == "Null" || text == "NULL"
    }

    /// What the first pair with this key stands for, in a mapping.
    package subscript(key: String) -> YAMLNode? {
        guard case .mapping(let pairs) = content else { return nil }
        return pairs.first { $0.key.text == key }?.value
    }
}

/// JSON as nodes, and back. JSON is YAML, but for what libyaml makes of it: characters beyond U+FFFF are written as two escapes,
/// which it refuses, and names longer than 1,024 bytes; and it takes much that is no JSON, such as anchors.
extension YAMLNode {
    /// Reads a text; of an object that names a member twice both are there, for who reads it to report.
    ///
    /// - Throws: ``YAMLError`` with a position inside the text, or at its end.
    package init(json bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) throws(YAMLError) {
        do throws(JSONError) {
            var reader = JSONReader(bytes, limits: JSONLimits(depth: limits.depth, values: limits.nodes))
            self = try Self.value(&reader)
            try reader.end()
        } catch {
            let code: YAMLError.Code =
                switch error.code {
                case .syntax: .syntax
                case .tooDeep: .tooDeep
                case .tooLarge: .tooLarge
                }
            throw YAMLError(code, at: YAMLPosition(line: error.line, column: error.column), error.message)
        }
    }

    private static func value(_ reader: inout JSONReader) throws(JSONError) -> YAMLNode {
        let kind = try reader.kind()
        let start = reader.position()
        let content: Content
        switch kind {
        case .null:
            try reader.null()
            content = .scalar("null", isPlain: true)
        case .boolean: content = .scalar(try reader.boolean() ? "true" : "false", isPlain: true)
        case .number: content = .scalar(try reader.number(), isPlain: true)
        case .string: content = .scalar(try reader.string(), isPlain: false)
        case .array:
            var nodes: [YAMLNode] = []
            try reader.beginArray()
            while try reader.nextElement() { nodes.append(try value(&reader)) }
            content = .sequence(nodes)
        case .object:
            var pairs: [Pair] = []
            try reader.beginObject()
            while let (name, line, column) = try reader.nextPlacedName() {
                let place = YAMLPosition(line: line, column: column)
                let key = YAMLNode(.scalar(name, isPlain: false), position: place)
                pairs.append(Pair(key: key, value: try value(&reader)))
            }
            content = .mapping(pairs)
        }
        return YAMLNode(content, position: YAMLPosition(line: start.line, column: start.column))
    }

    /// The node as JSON on one line. Of a node that was read from JSON, its meaning to the letter.
    package var json: [UInt8] {
        var writer = JSONWriter()
        append(to: &writer)
        return writer.bytes
    }

    /// What a merge patch makes of a node (RFC 7396): null removes, mappings are merged, everything else takes the place of
    /// what was there.
    package func merged(with patch: YAMLNode) -> YAMLNode {
        guard case .mapping(let changes) = patch.content else { return patch }
        var pairs: [Pair] = []
        if case .mapping(let own) = content { pairs = own }
        for change in changes {
            let place = pairs.firstIndex { $0.key.text == change.key.text }
            if change.value.isNull {
                if let place { pairs.remove(at: place) }
                continue
            }
            let old = place.map { pairs[$0].value } ?? YAMLNode(.scalar("null", isPlain: true), position: position)
            // Also where there was nothing: a null in what is new removes itself.
            let pair = Pair(key: change.key, value: old.merged(with: change.value))
            if let place { pairs[place] = pair } else { pairs.append(pair) }
        }
        return YAMLNode(.mapping(pairs), position: patch.position)
    }

    /// A mapping without one of its keys.
    package func without(_ name: String) -> YAMLNode {
        guard case .mapping(let pairs) = content else { return self }
        return YAMLNode(.mapping(pairs.filter { $0.key.text != name }), position: position)
    }

    private func append(to writer: inout JSONWriter) {
        switch content {
        case .scalar(let text, isPlain: true): writer.value(rendered: text.utf8)
        case .scalar(let text, isPlain: false): writer.string(text)
        case .sequence(let nodes): writer.array(nodes) { $1.append(to: &$0) }
        case .mapping(let pairs):
            writer.object { writer in
                for pair in pairs {
                    writer.key(pair.key.text ?? "")
                    pair.value.append(to: &writer)
                }
            }
        }
    }
}
