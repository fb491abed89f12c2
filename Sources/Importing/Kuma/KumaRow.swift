// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// A row of Uptime Kuma's database, or an object of a backup, whose members have other names than the columns.
struct KumaRow {
    let node: YAMLNode
    private let values: [String: YAMLNode]

    /// Nil if it is not a mapping.
    init?(_ node: YAMLNode) {
        guard case .mapping(let pairs) = node.content else { return nil }
        self.node = node
        var values: [String: YAMLNode] = [:]
        for pair in pairs {
            guard let key = pair.key.text, key.utf8.count <= 128, !pair.value.isNull else { continue }
            values[Self.column(key)] = pair.value
        }
        self.values = values
    }

    /// The rows of a list, or of a mapping from their numbers, as Uptime Kuma sends it to its page.
    static func rows(_ node: YAMLNode?) -> [KumaRow] {
        switch node?.content {
        case .sequence(let items)?: items.compactMap(KumaRow.init)
        case .mapping(let pairs)?: pairs.compactMap { KumaRow($0.value) }
        default: []
        }
    }

    /// The column of a member: `retry_interval` of `retryInterval`.
    private static func column(_ key: String) -> String {
        var column = ""
        var isAfterSmall = false
        for character in key {
            if character.isUppercase, isAfterSmall { column.append("_") }
            isAfterSmall = character.isLowercase || character.isNumber
            column += character.lowercased()
        }
        return column
    }

    /// The columns that have a value.
    var columns: Set<String> { Set(values.filter { $1.text != "" }.keys) }

    /// A value; nil when it is absent, null or empty.
    func text(_ column: String) -> String? {
        guard let text = values[column]?.text, !text.isEmpty else { return nil }
        return text
    }

    /// A number; nil when it is absent or none.
    func number(_ column: String) -> Double? {
        guard let number = text(column).flatMap({ Double($0) }), number.isFinite, abs(number) < 1e12 else { return nil }
        return number
    }

    /// A whole number; nil when it is absent or none.
    func integer(_ column: String) -> Int? { number(column).map { Int($0) } }

    /// Whether a value is `1` or `true`.
    func flag(_ column: String, default standard: Bool = false) -> Bool {
        guard let text = text(column)?.lowercased() else { return standard }
        return text == "true" || (Double(text) ?? 0) != 0
    }

    /// A value that is JSON, as text or as a part of a backup; nil when it is absent or none.
    func json(_ column: String) -> YAMLNode? {
        guard let node = values[column] else { return nil }
        guard let text = node.text else { return node }
        return try? YAMLNode(json: Array(text.utf8))
    }

    /// The texts of a list that is JSON.
    func texts(_ column: String) -> [String] {
        guard case .sequence(let items)? = json(column)?.content else { return [] }
        return items.compactMap(\.text)
    }
}
