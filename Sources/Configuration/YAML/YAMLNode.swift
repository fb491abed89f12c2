// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
