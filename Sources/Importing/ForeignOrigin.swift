// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Where the nodes of a configuration are: in a file, or in a text inside of one.
struct ForeignOrigin: Sendable {
    /// The file, by its path as in diagnostics.
    let file: String
    /// The lines before the text, and the columns before each line of it.
    private var shift = (lines: 0, columns: 0)
    /// The position of a text of which no other is known.
    private var whole: YAMLPosition?

    /// Whether the file has lines, and not only rows.
    private let hasLines: Bool

    init(file: String) {
        self.file = file
        hasLines = true
    }

    /// The origin of the rows of a database.
    init(database file: String) {
        self.file = file
        hasLines = false
    }

    /// The origin of the text of a scalar.
    ///
    /// - Parameters:
    ///   - node: The scalar.
    ///   - lines: The lines of the file, for the scalar's style and indentation.
    init(_ outer: ForeignOrigin, in node: YAMLNode, lines: [ArraySlice<UInt8>]) {
        file = outer.file
        hasLines = outer.hasLines
        let place = node.position
        // Of a literal text each line is one of the file.
        guard lines.indices.contains(place.line),
            lines[place.line - 1].dropFirst(place.column - 1).first == UInt8(ascii: "|")
        else {
            whole = place
            return
        }
        let first = lines[place.line...].first { $0.contains { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") } }
        shift = (place.line, first?.prefix { $0 == UInt8(ascii: " ") }.count ?? 0)
    }

    /// The position of a node in the file; nil in a file without lines.
    func position(of node: YAMLNode) -> YAMLPosition? {
        guard hasLines else { return nil }
        if let whole { return whole }
        return YAMLPosition(line: node.position.line + shift.lines, column: node.position.column + shift.columns)
    }
}
