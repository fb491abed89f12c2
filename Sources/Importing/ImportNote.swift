// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// A part of another program's configuration that reachd's cannot express exactly.
package struct ImportNote: Sendable, Hashable {
    /// The file, by its path as in diagnostics.
    package let file: String
    /// The position in the file; nil in a file without lines, such as a database.
    package let position: YAMLPosition?
    /// The message.
    package let words: String
    /// The message without what differs between notes of one kind: names, values.
    package let kind: String
}

/// Notes of one kind.
package struct ImportNoteGroup: Sendable, Hashable {
    /// The notes, at least one, in the order of the file.
    package let notes: [ImportNote]

    /// Groups notes by their kind, in the order of the first of each.
    static func of(_ notes: [ImportNote]) -> [ImportNoteGroup] {
        var kinds: [String] = []
        var groups: [String: [ImportNote]] = [:]
        for note in notes {
            if groups[note.kind] == nil { kinds.append(note.kind) }
            groups[note.kind, default: []].append(note)
        }
        return kinds.compactMap { groups[$0].map(ImportNoteGroup.init) }
    }

    /// The group on one line: the note itself, or the kind with the number of notes.
    package var line: String {
        let first = notes[0]
        guard notes.count > 1 else { return first.line }
        let place = first.position.map { " (first on line \($0.line))" } ?? ""
        return "\(first.file): \(notes.count) times: \(first.kind)\(place)"
    }
}

extension ImportNote {
    /// The note on one line, with its position.
    package var line: String { position.map { "\(file):\($0.line):\($0.column): \(words)" } ?? "\(file): \(words)" }
}

/// What a note is about, such as one endpoint; notes of one kind differ in it.
struct NoteSubject: CustomStringConvertible, Sendable {
    /// The general term: `the endpoint`.
    let term: String
    /// Its name; empty for none.
    let name: String

    var description: String { name.isEmpty ? "\(term) without a name" : "\(term) \(name)" }
}

/// The message of a note. Its kind is the same text with `…` for each interpolated value, and without the subject at its
/// beginning.
struct NoteText: ExpressibleByStringInterpolation, Sendable {
    private(set) var words = ""
    private(set) var kind = ""

    init(stringLiteral words: String) { (self.words, kind) = (words, words) }

    init(stringInterpolation text: StringInterpolation) {
        words = text.words
        kind = text.kind
        if let term = text.subject, kind.hasPrefix("\(term) …: ") { kind.removeFirst(term.count + 4) }
    }

    static func + (left: NoteText, right: NoteText) -> NoteText { "\(left)\(right)" }

    /// Collects a message and its kind.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var words = ""
        fileprivate var kind = ""
        /// The term of the subject at the beginning.
        fileprivate var subject: String?

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) {
            words += literal
            kind += literal
        }

        /// Appends a value in which notes of one kind differ.
        mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            words += "\(value)"
            kind += "…"
        }

        /// Appends a text that is a part of the kind.
        mutating func appendInterpolation(same text: String) { appendLiteral(text) }

        /// Appends a text; of its kind, what is quoted differs.
        mutating func appendInterpolation(quoting text: String) {
            words += text
            for (index, part) in text.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
                kind += index.isMultiple(of: 2) ? String(part) : "…"
            }
        }

        mutating func appendInterpolation(_ subject: NoteSubject) {
            if words.isEmpty { self.subject = subject.term }
            words += subject.description
            kind += "\(subject.term) …"
        }

        mutating func appendInterpolation(_ text: NoteText) {
            words += text.words
            kind += text.kind
        }
    }
}
