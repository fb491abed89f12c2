// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// A mapping of another program's configuration, whose keys are taken one by one; the remaining keys are noted.
struct ForeignMapping {
    let node: YAMLNode
    private var pairs: [(key: String, keyNode: YAMLNode, value: YAMLNode)] = []

    /// Nil if it is not a mapping. Merge keys (`<<`) are followed, one level deep for each.
    init?(_ node: YAMLNode?) {
        guard let node, case .mapping(let pairs) = node.content else { return nil }
        self.node = node
        add(pairs, depth: 0)
    }

    private mutating func add(_ new: [YAMLNode.Pair], depth: Int) {
        for pair in new where pair.key.text != "<<" {
            guard let key = pair.key.text, !pairs.contains(where: { $0.key == key }) else { continue }
            pairs.append((key, pair.key, pair.value))
        }
        guard depth < 8 else { return }
        for pair in new where pair.key.text == "<<" {
            switch pair.value.content {
            case .mapping(let merged): add(merged, depth: depth + 1)
            case .sequence(let list):
                for case .mapping(let merged) in list.map(\.content) { add(merged, depth: depth + 1) }
            case .scalar: break
            }
        }
    }

    /// Adds the keys of another mapping that this one lacks.
    mutating func complete(by other: ForeignMapping) {
        pairs += other.pairs.filter { pair in !pairs.contains { $0.key == pair.key } }
    }

    /// Takes the value of a key; nil when it is absent or null.
    mutating func take(_ key: String) -> YAMLNode? {
        guard let index = pairs.firstIndex(where: { $0.key == key }) else { return nil }
        let value = pairs.remove(at: index).value
        return value.isNull ? nil : value
    }

    /// Takes all keys of a kind, with their values.
    mutating func takeAll(where isWanted: (String) -> Bool) -> [(key: String, node: YAMLNode)] {
        let taken = pairs.filter { isWanted($0.key) }
        pairs.removeAll { isWanted($0.key) }
        return taken.map { ($0.key, $0.keyNode) }
    }

    /// All keys with the first of their values.
    var lists: [(String, String)] {
        pairs.compactMap { pair in
            if case .sequence(let items) = pair.value.content { return items.first?.text.map { (pair.key, $0) } }
            return pair.value.text.map { (pair.key, $0) }
        }
    }

    mutating func text(_ key: String) -> String? { take(key)?.text }

    /// `true` and its variants in YAML 1.1.
    mutating func boolean(_ key: String) -> Bool? {
        switch text(key)?.lowercased() {
        case "true", "yes", "on", "y": true
        case "false", "no", "off", "n": false
        default: nil
        }
    }

    /// A list of texts, or a single text.
    mutating func texts(_ key: String) -> [String] {
        guard let node = take(key) else { return [] }
        if case .sequence(let items) = node.content { return items.compactMap(\.text) }
        return node.text.map { [$0] } ?? []
    }

    mutating func list(_ key: String) -> [YAMLNode] {
        guard let node = take(key), case .sequence(let items) = node.content else { return [] }
        return items
    }

    mutating func mapping(_ key: String) -> ForeignMapping? { ForeignMapping(take(key)) }

    /// Keys and texts, in the order of the file.
    mutating func labels(_ key: String) -> [(String, String)] {
        guard let node = take(key), case .mapping(let pairs) = node.content else { return [] }
        return pairs.compactMap { pair in
            guard let name = pair.key.text, let value = pair.value.text else { return nil }
            return (name, value)
        }
    }

    /// Notes for each remaining key that it is not carried over.
    ///
    /// - Parameters:
    ///   - whole: The mapping's name in notes.
    ///   - loss: What each key is; nil if nothing is lost with it.
    func noteRest(of whole: NoteText, losing loss: ImportLoss? = .setting, _ draft: inout ImportDraft) {
        for pair in pairs where !pair.value.isNull {
            let words: NoteText = "\(whole): \(same: pair.key.quoted) is not carried over"
            if let loss { draft.lose(loss, pair.keyNode, words) } else { draft.note(pair.keyNode, words) }
        }
    }
}
