// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Rows in columns; the last column gets what is left of the line.
struct TextTable {
    /// A piece of a row.
    struct Cell {
        var text: String
        var color: TerminalColor?
        var isRight = false

        init(_ text: String, _ color: TerminalColor? = nil, isRight: Bool = false) {
            self.text = text
            self.color = color
            self.isRight = isRight
        }
    }

    /// No column but the last is wider.
    private static let widest = 40
    /// No column that gives way to others gets narrower.
    private static let narrowest = 8

    private let headings: [String]
    private var rows: [[Cell]] = []

    init(_ headings: [String]) {
        self.headings = headings
    }

    mutating func add(_ row: [Cell]) {
        rows.append(row)
    }

    var isEmpty: Bool { rows.isEmpty }

    /// The lines, without blanks at their ends. Columns in which no row has anything are left out.
    func lines(on terminal: Terminal) -> [String] {
        let used = headings.indices.filter { column in rows.contains { !$0[column].text.isEmpty } }
        guard let last = used.last else { return [] }
        var widths: [Int: Int] = [:]
        for column in used {
            let widest = rows.map { TerminalText.width($0[column].text) }.max() ?? 0
            let limit = column == last ? Int.max : Self.widest
            widths[column] = min(limit, max(widest, TerminalText.width(headings[column])))
        }
        if let width = terminal.width {
            let others = used.dropLast()
            func left() -> Int { width - others.reduce(0) { $0 + (widths[$1] ?? 0) + 2 } }
            let wanted = min(Self.narrowest, widths[last] ?? 0)
            // The widest gives way first, so that no long name alone takes what all need.
            while left() < wanted, let most = others.max(by: { (widths[$0] ?? 0) < (widths[$1] ?? 0) }),
                let now = widths[most], now > Self.narrowest
            {
                widths[most] = now - 1
            }
            widths[last] = max(wanted, left())
        }
        let heading = headings.map { Cell($0, .bold) }
        return ([heading] + rows).map { row in
            var line = ""
            for column in used {
                let width = widths[column] ?? 0
                let text = TerminalText.cut(row[column].text, to: width)
                let blanks = String(repeating: " ", count: max(0, width - TerminalText.width(text)))
                let painted = terminal.paint(text, row[column].color)
                if row[column].isRight {
                    line += blanks + painted
                } else {
                    line += column == last ? painted : painted + blanks
                }
                if column != last { line += "  " }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
