// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What an import has come to so far.
struct ImportDraft {
    /// Modules or targets.
    private(set) var items: [YAMLText] = []
    private(set) var notes: [ImportNote] = []
    private var names: Set<String> = []

    /// Notes are bounded, as the file is.
    private static let noteLimit = 10_000

    mutating func note(_ node: YAMLNode, _ words: String) {
        guard notes.count < Self.noteLimit else { return }
        notes.append(ImportNote(position: node.position, words: words))
    }

    /// Takes an item, if our own reader accepts it; what it complains about is noted, and the item left out.
    ///
    /// - Parameters:
    ///   - list: The key of the list that it stands in.
    ///   - name: What notes call it.
    ///   - variables: Variables that its values refer to, which need not be set here.
    mutating func add(_ item: YAMLText, to list: String, name: String, variables: Set<String> = [], at node: YAMLNode) {
        let text = YAMLText.document([(list, .list([item]))])
        let environment = Dictionary(variables.map { ($0, "x") }) { first, _ in first }
        do throws(ConfigurationFaults) {
            _ = try ConfigurationLoader(environment: environment).load(bytes: Array(text.utf8), path: "")
            items.append(item)
        } catch {
            for fault in error.faults {
                let hint = fault.hint.map { "; \($0)" } ?? ""
                note(node, "\(name) is left out: \(Self.place(fault.pointer))\(fault.words)\(hint)")
            }
        }
    }

    private static func place(_ pointer: String) -> String {
        let parts = pointer.split(separator: "/").dropFirst(2)
        return parts.isEmpty ? "" : parts.joined(separator: ".") + ": "
    }

    /// A name that nobody has yet, of letters, digits, `-`, `_` and `.`.
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
        while !names.insert(candidate).inserted {
            candidate = "\(name)-\(number)"
            number += 1
        }
        return candidate
    }
}
