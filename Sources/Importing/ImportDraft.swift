// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The intermediate result of an import.
struct ImportDraft {
    /// Modules, targets and receivers, by the key of their list.
    private(set) var lists: [String: [YAMLText]] = [:]
    private(set) var notes: [ImportNote] = []
    private var identifiers: Set<String> = []
    /// The files and variables of secrets.
    private var places: Set<String> = []
    /// Variables that items refer to.
    private var names: Set<String> = []
    /// Those of them that must be set for the result to be valid.
    private var needs: Set<String> = []
    private var empty: Set<String> = []

    /// Bounds the notes, as the file is bounded.
    private static let noteLimit = 10_000

    mutating func note(_ node: YAMLNode, _ words: String) {
        guard notes.count < Self.noteLimit else { return }
        notes.append(ImportNote(position: node.position, words: words))
    }

    /// Adds an item if reachd's reader accepts it; otherwise the faults are noted, and the item is left out.
    ///
    /// - Parameters:
    ///   - list: The key of its list.
    ///   - name: Its name in notes.
    ///   - variables: Variables that its values refer to, which need not be set during the import.
    /// - Returns: Whether it was added.
    @discardableResult
    mutating func add(
        _ item: YAMLText,
        to list: String,
        name: String,
        variables: GatusVariables = GatusVariables(),
        at node: YAMLNode
    ) -> Bool {
        let names = variables.names
        empty.formUnion(variables.empty)
        let item = variables.empty.isEmpty ? item : item.withoutNothing
        // A variable may stand for a number.
        let values = names.isEmpty ? ["x"] : ["x", "1"]
        let value = values.first { Self.faults(in: item, list, names, value: $0).isEmpty }
        guard let value else {
            for fault in Self.faults(in: item, list, names, value: "x") {
                let hint = fault.hint.map { "; \($0)" } ?? ""
                note(node, "\(name) is left out: \(Self.place(fault.pointer))\(fault.words)\(hint)")
            }
            return false
        }
        let needed = Self.needed(in: item, list, names, value: value)
        lists[list, default: []].append(item.defaulting(names.subtracting(needed)))
        self.names.formUnion(names)
        needs.formUnion(needed)
        return true
    }

    /// The faults of an item with given values of variables.
    private static func faults(
        in item: YAMLText,
        _ list: String,
        _ names: Set<String>,
        value: String
    ) -> [ConfigurationDiagnostic] {
        let text = YAMLText.document([(list, .list([item]))])
        let environment = Dictionary(names.map { ($0, value) }) { first, _ in first }
        do throws(ConfigurationDiagnostics) {
            _ = try ConfigurationLoader(environment: environment).load(bytes: Array(text.utf8), path: "")
            return []
        } catch {
            return error.diagnostics
        }
    }

    /// The variables without which an item has faults: a URL's host cannot be empty.
    private static func needed(in item: YAMLText, _ list: String, _ names: Set<String>, value: String) -> Set<String> {
        guard !names.isEmpty, !faults(in: item.defaulting(names), list, [], value: value).isEmpty else { return [] }
        // Each costs a reading of the item.
        guard names.count <= 32 else { return names }
        let needed = names.filter { name in
            !faults(in: item.defaulting([name]), list, names.subtracting([name]), value: value).isEmpty
        }
        let isEnough = faults(in: item.defaulting(names.subtracting(needed)), list, needed, value: value).isEmpty
        return isEnough ? needed : names
    }

    /// Notes which variables are read from the environment, and the effect of unset ones.
    mutating func noteVariables(at node: YAMLNode) {
        if !names.isEmpty {
            var words = "environment variables are read: \(names.sorted().joined(separator: ", "))"
            words += needs == names ? "" : "; an unset one is empty, as in Gatus"
            if !needs.isEmpty { words += "; set before reachd validate: \(needs.sorted().joined(separator: ", "))" }
            note(node, words)
        }
        if !empty.isEmpty {
            let references = empty.sorted().prefix(16).map(\.quoted).joined(separator: ", ")
            let words = "invalid variable names are empty, as in Gatus; write $$ for a dollar sign"
            note(node, "\(words): \(references)")
        }
    }

    private static func place(_ pointer: String) -> String {
        let parts = pointer.split(separator: "/").dropFirst(2)
        return parts.isEmpty ? "" : parts.joined(separator: ".") + ": "
    }

    /// An unused file or variable for a secret: the name, with a number behind it if it is in use.
    mutating func unusedPlace(_ name: String, between separator: String) -> String {
        var candidate = name
        var number = 2
        while !places.insert(candidate).inserted {
            candidate = "\(name)\(separator)\(number)"
            number += 1
        }
        return candidate
    }

    /// An unused name of letters, digits, `-`, `_` and `.`.
    mutating func unique(_ text: String) -> String {
        var name = ""
        for character in text.prefix(100) {
            if TextForm.isIdentifier(String(character)), character != ":" {
                name.append(character)
            } else if !name.isEmpty, name.last != "-" {
                name.append("-")
            }
        }
        while name.last == "-" { name.removeLast() }
        if name.isEmpty { name = "unnamed" }
        var candidate = name
        var number = 2
        while !identifiers.insert(candidate).inserted {
            candidate = "\(name)-\(number)"
            number += 1
        }
        return candidate
    }
}
