// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Schema

/// The intermediate result of an import.
struct ImportDraft {
    /// Modules, targets and receivers, by the key of their list.
    private(set) var lists: [String: [YAMLText]] = [:]
    /// Items that are written as comments, with the reasons, by the key of their list.
    private(set) var comments: [String: [(reason: String, item: YAMLText)]] = [:]
    /// Ids of targets without which the others cannot be judged.
    private var anchors: [String] = []
    /// Keys of `discovery` that are written as comments, with what they are for.
    private var discoveries: [(reason: String, keys: [(String, YAMLText)])] = []
    /// The keys of the public status page.
    private var page: [(String, YAMLText)] = []
    private(set) var notes: [ImportNote] = []
    /// What was found, carried over and lost.
    var tally = ImportTally()
    /// Where the nodes of the part that is being imported are.
    var origin: ForeignOrigin
    /// Notes on items that are left out.
    private(set) var reasons: [ImportNote] = []
    private var identifiers: Set<String> = []
    /// The files and variables of secrets, with what belongs there.
    private var places: [String: YAMLText] = [:]
    /// The next number of a name that occurs several times.
    private var numbers: [String: Int] = [:]
    /// Variables that items refer to.
    private var names: Set<String> = []
    /// Those of them that must be set for the result to be valid.
    private var needs: Set<String> = []
    private var empty: Set<String> = []

    /// Bounds the notes, as the file is bounded.
    private static let noteLimit = 10_000

    init(_ origin: ForeignOrigin) { self.origin = origin }

    /// Adds a note on a difference.
    mutating func note(_ node: YAMLNode, _ text: NoteText) { append(node, text) }

    /// Adds a note on a part of an item that is lost.
    mutating func lose(_ loss: ImportLoss, _ node: YAMLNode, _ text: NoteText) {
        tally.lose(loss)
        append(node, text)
    }

    /// Adds a note on an item that is left out.
    mutating func leaveOut(_ node: YAMLNode, _ text: NoteText) {
        if let note = append(node, text) { reasons.append(note) }
    }

    @discardableResult
    private mutating func append(_ node: YAMLNode, _ text: NoteText) -> ImportNote? {
        guard notes.count < Self.noteLimit else { return nil }
        let position = origin.position(of: node)
        let note = ImportNote(file: origin.file, position: position, words: text.words, kind: text.kind)
        notes.append(note)
        return note
    }

    /// Makes a target an anchor.
    mutating func addAnchor(_ id: String) { anchors.append(id) }

    /// Adds keys of `discovery`, which are written as a comment.
    mutating func addDiscovery(_ keys: [(String, YAMLText)], _ reason: String) { discoveries.append((reason, keys)) }

    /// Sets the public status page if reachd's reader accepts it; otherwise the faults are noted.
    mutating func setPage(_ keys: [(String, YAMLText)], name: NoteSubject, at node: YAMLNode) {
        let text = YAMLText.document([("public", .mapping(keys))])
        do throws(ConfigurationDiagnostics) {
            _ = try ConfigurationLoader().load(bytes: Array(text.utf8), path: "")
            page = keys
        } catch {
            for fault in error.diagnostics {
                lose(.setting, node, "\(name) is not carried over: \(quoting: fault.words)")
            }
        }
    }

    /// Whether there is nothing to write.
    var isEmpty: Bool { ["probe_modules", "targets"].allSatisfy { lists[$0] == nil && comments[$0] == nil } }

    /// The notes in the order of the imported file, and those of other files after them.
    func sortedNotes(_ path: String) -> [ImportNote] {
        notes.enumerated().sorted { left, right in
            let (first, second) = (left.element, right.element)
            if first.file != second.file {
                return first.file == path || (second.file != path && first.file < second.file)
            }
            return (first.position?.line ?? 0, left.offset) < (second.position?.line ?? 0, right.offset)
        }.map(\.element)
    }

    /// Adds an item if reachd's reader accepts it; otherwise the faults are noted, and the item is left out.
    ///
    /// - Parameters:
    ///   - list: The key of its list.
    ///   - name: Its name in notes.
    ///   - unit: What it is in the original; nil if it is not counted.
    ///   - variables: Variables that its values refer to, which need not be set during the import.
    ///   - pauses: Why it is written as a comment: it must not be probed as it is.
    /// - Returns: Whether it was added, not as a comment.
    @discardableResult
    mutating func add(
        _ item: YAMLText,
        to list: String,
        name: NoteSubject,
        as unit: ImportUnit? = nil,
        variables: GatusVariables = GatusVariables(),
        pausedBy pauses: [NoteText] = [],
        at node: YAMLNode
    ) -> Bool {
        let names = variables.names
        empty.formUnion(variables.empty)
        let item = variables.empty.isEmpty ? item : item.withoutNothing
        // A variable may stand for a number.
        let values = (names.isEmpty ? ["x"] : ["x", "1"]).map { Self.environment(variables, $0) }
        let environment = values.first { Self.faults(in: item, list, $0).isEmpty }
        guard let environment else {
            for fault in Self.faults(in: item, list, values[0]) {
                let hint = fault.hint.map { "; \($0)" } ?? ""
                leaveOut(node, "\(name) is left out: \(same: Self.place(fault.pointer))\(quoting: fault.words + hint)")
            }
            return false
        }
        let needed = Self.needed(in: item, list, environment)
        let written = item.defaulting(names.subtracting(needed))
        guard pauses.isEmpty else {
            for pause in pauses { leaveOut(node, "\(name) is written as a comment: \(pause)") }
            comments[list, default: []].append((pauses.map(\.words).joined(separator: "; "), written))
            if let unit { tally.comment(unit) }
            return false
        }
        lists[list, default: []].append(written)
        if let unit { tally.carry(unit) }
        self.names.formUnion(names)
        needs.formUnion(needed)
        return true
    }

    /// Values of an item's variables for checking it.
    private static func environment(_ variables: GatusVariables, _ value: String) -> [String: String] {
        var environment: [String: String] = [:]
        for name in variables.names { environment[name] = variables.ports.contains(name) ? "1" : value }
        for name in variables.urls { environment[name] = "http://x" }
        return environment
    }

    /// The faults of an item with given values of variables.
    private static func faults(
        in item: YAMLText,
        _ list: String,
        _ environment: [String: String]
    ) -> [ConfigurationDiagnostic] {
        let text = YAMLText.document([(list, .list([item]))])
        do throws(ConfigurationDiagnostics) {
            _ = try ConfigurationLoader(environment: environment).load(bytes: Array(text.utf8), path: "")
            return []
        } catch {
            return error.diagnostics
        }
    }

    /// The variables without which an item has faults: a URL's host cannot be empty.
    private static func needed(in item: YAMLText, _ list: String, _ environment: [String: String]) -> Set<String> {
        let names = Set(environment.keys)
        guard !names.isEmpty, !faults(in: item.defaulting(names), list, [:]).isEmpty else { return [] }
        // Each costs a reading of the item.
        guard names.count <= 32 else { return names }
        let needed = names.filter { name in
            !faults(in: item.defaulting([name]), list, environment.filter { $0.key != name }).isEmpty
        }
        let rest = environment.filter { needed.contains($0.key) }
        let isEnough = faults(in: item.defaulting(names.subtracting(needed)), list, rest).isEmpty
        return isEnough ? needed : names
    }

    /// Notes which variables are read from the environment, and the effect of unset ones.
    mutating func noteVariables(at node: YAMLNode) {
        if !names.isEmpty {
            var words = "environment variables are read: \(names.sorted().joined(separator: ", "))"
            words += needs == names ? "" : "; an unset one is empty"
            if !needs.isEmpty { words += "; set before reachd validate: \(needs.sorted().joined(separator: ", "))" }
            note(node, "\(same: words)")
        }
        if !empty.isEmpty {
            let references = empty.sorted().prefix(16).map(\.quoted).joined(separator: ", ")
            note(node, "invalid variable names are empty, as in Gatus; write $$ for a dollar sign: \(references)")
        }
    }

    private static func place(_ pointer: String) -> String {
        let parts = pointer.split(separator: "/").dropFirst(2)
        return parts.isEmpty ? "" : parts.joined(separator: ".") + ": "
    }

    /// The file or variable of a secret: the name, with a number behind it if another secret has that place.
    ///
    /// - Returns: The place, and whether it is a new one: a module may be imported with its file and for several jobs.
    mutating func place(
        _ name: String,
        of secret: YAMLText,
        between separator: String
    ) -> (name: String, isNew: Bool) {
        var candidate = name
        var number = 2
        while let other = places[candidate] {
            if other == secret { return (candidate, false) }
            candidate = "\(name)\(separator)\(number)"
            number += 1
        }
        places[candidate] = secret
        return (candidate, true)
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
        while !identifiers.insert(candidate).inserted {
            let number = numbers[name] ?? 2
            numbers[name] = number + 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }

    /// The configuration as YAML.
    var text: String {
        var text = ""
        for list in ["probe_modules", "targets", "notify"] {
            let items = lists[list] ?? []
            let comments = comments[list] ?? []
            guard !items.isEmpty || !comments.isEmpty else { continue }
            text += items.isEmpty ? "\(list):\n" : YAMLText.document([(list, .list(items))])
            for (reason, item) in comments {
                text += "  # \(DisplayText.line(reason, limit: 512)):\n"
                for line in YAMLText.document([("", .list([item]))]).split(separator: "\n").dropFirst() {
                    text += "#\(line)\n"
                }
            }
        }
        for (reason, keys) in discoveries {
            text += "# \(DisplayText.line(reason, limit: 512)):\n"
            for line in YAMLText.document([("discovery", .mapping(keys))]).split(separator: "\n") {
                text += "# \(line)\n"
            }
        }
        if !page.isEmpty { text += YAMLText.document([("public", .mapping(page))]) }
        guard !anchors.isEmpty else { return text }
        let list = YAMLText.list(anchors.map { .text($0) })
        return text + YAMLText.document([("probing", .mapping([("anchors", list)]))])
    }
}
