// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Tags as labels.
enum TagLabels {
    /// The names that labels get from tags, with the tags' values, in an order that never changes.
    ///
    /// A label's name has letters, digits and `_` only. What a tag's name has besides becomes `_`; where two become the same,
    /// those behind the first get a number.
    static func labels(of tags: [String: String]) -> [(name: String, value: String)] {
        var taken: Set<String> = []
        return tags.sorted { $0.key < $1.key }.map { key, value in
            let name = "tag_" + name(of: key)
            var unique = name
            var number = 2
            while !taken.insert(unique).inserted {
                unique = "\(name)_\(number)"
                number += 1
            }
            return (unique, value)
        }
    }

    private static func name(of tag: String) -> String {
        String(
            decoding: tag.utf8.map { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: byte
                default: UInt8(ascii: "_")
                }
            },
            as: UTF8.self
        )
    }
}
