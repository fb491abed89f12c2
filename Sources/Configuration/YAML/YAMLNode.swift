// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
package import Schema

/// A node of a YAML document, with its position.
///
/// Nothing is interpreted: a scalar is text, and the reader knows the expected type. So `no` remains a country and
/// `1.10` a version.
package struct YAMLNode: Sendable {
    /// The content of a node.
    package enum Content: Sendable {
        /// Text, and whether it was unquoted.
        case scalar(String, isPlain: Bool)
        /// A list.
        case sequence([YAMLNode])
        /// Pairs in the order of the text, duplicate keys included.
        case mapping([Pair])
    }

    /// A key and its value.
    package struct Pair: Sendable {
        /// The key.
        package let key: YAMLNode
        /// The value.
        package let value: YAMLNode

        /// Creates a pair.
        package init(key: YAMLNode, value: YAMLNode) {
            self.key = key
            self.value = value
        }
    }

    /// The content.
    package let content: Content
    /// Which of several files the node is from, as the caller of the reader counts them.
    let file: UInt16
    // A large file has a million nodes: narrow numbers, and a box for a rare property.
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
    package init(_ content: Content, position: YAMLPosition, tag: String? = nil, file: UInt16 = 0) {
        self.content = content
        self.file = file
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

    /// Where it begins. An alias has the position of its anchor's node.
    package var position: YAMLPosition { YAMLPosition(line: Int(line), column: Int(column)) }

    /// The explicit tag, such as `!!binary`, if there was one.
    package var tag: String? { tagBox?.tag }

    /// The number of nodes in this tree, with aliases counted each time.
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

    /// The value of the first pair with this key, in a mapping.
    package subscript(key: String) -> YAMLNode? {
        guard case .mapping(let pairs) = content else { return nil }
        return pairs.first { $0.key.text == key }?.value
    }
}

/// JSON as nodes, and back. libyaml does not read all JSON: it refuses characters beyond U+FFFF, which are written as
/// two escapes, and names longer than 1,024 bytes; and it accepts much that is not JSON, such as anchors.
extension YAMLNode {
    /// Reads a text; duplicate members of an object are all kept, for the caller to report.
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

    /// The node as JSON on one line, with exactly the meaning of the JSON that it was read from.
    package var json: [UInt8] {
        var writer = JSONWriter()
        append(to: &writer)
        return writer.bytes
    }

    /// The result of a merge patch (RFC 7396): null removes, mappings are merged, everything else replaces.
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
            // Also for a new mapping: a null in it removes itself.
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
