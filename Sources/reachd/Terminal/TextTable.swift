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
    /// Others give way until the last column has this width.
    private static let wanted = 30

    private let headings: [String]
    private let dispensable: [String]
    private let wrapsLast: Bool
    private var rows: [[Cell]] = []

    /// - Parameters:
    ///   - dispensable: columns that are left out, the first one first, where the last column would be too narrow.
    ///   - wrapsLast: whether the last column goes on in further lines instead of being cut.
    init(_ headings: [String], dispensable: [String] = [], wrapsLast: Bool = false) {
        self.headings = headings
        self.dispensable = dispensable
        self.wrapsLast = wrapsLast
    }

    mutating func add(_ row: [Cell]) {
        rows.append(row)
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Whether all columns fit the terminal without being cut.
    func fits(_ terminal: Terminal) -> Bool {
        let used = usedColumns
        return terminal.width.map { width in used.reduce(-2) { $0 + natural($1, isLast: $1 == used.last) + 2 } <= width
        } ?? true
    }

    /// The lines, without blanks at their ends. Columns in which no row has anything are left out.
    func lines(on terminal: Terminal) -> [String] {
        var used = usedColumns
        guard let last = used.last else { return [] }
        var widths: [Int: Int] = [:]
        for column in used { widths[column] = natural(column, isLast: column == last) }
        if let width = terminal.width {
            func left() -> Int { width - used.dropLast().reduce(0) { $0 + (widths[$1] ?? 0) + 2 } }
            let natural = widths[last] ?? 0
            let wanted = min(Self.wanted, natural, max(Self.narrowest, width / 2))
            for heading in dispensable where left() < wanted {
                used.removeAll { headings[$0] == heading && $0 != last }
            }
            // The widest gives way first, so that no long name alone takes what all need.
            while left() < wanted, let most = used.dropLast().max(by: { (widths[$0] ?? 0) < (widths[$1] ?? 0) }),
                let now = widths[most], now > Self.narrowest
            {
                widths[most] = now - 1
            }
            widths[last] = min(natural, max(min(Self.narrowest, natural), left()))
        }
        let heading = headings.indices.map { column in
            Cell(headings[column], .bold, isRight: rows.contains { $0[column].isRight })
        }
        return ([heading] + rows).flatMap { row in
            let texts = wrapsLast ? TerminalText.wrapped(row[last].text, to: widths[last]) : [row[last].text]
            return texts.enumerated().map { number, text in
                var line = ""
                for column in used {
                    let cell = column == last ? Cell(text, row[last].color, isRight: row[last].isRight) : row[column]
                    line += Self.text(
                        number == 0 || column == last ? cell : Cell(""),
                        to: widths[column] ?? 0,
                        terminal
                    )
                    line += column == last ? "" : "  "
                }
                while line.last == " " { line.removeLast() }
                return line
            }
        }
    }

    private var usedColumns: [Int] {
        headings.indices.filter { column in rows.contains { !$0[column].text.isEmpty } }
    }

    /// The width of a column that does not give way.
    private func natural(_ column: Int, isLast: Bool) -> Int {
        let widest = rows.map { TerminalText.width($0[column].text) }.max() ?? 0
        return min(isLast ? .max : Self.widest, max(widest, TerminalText.width(headings[column])))
    }

    private static func text(_ cell: Cell, to width: Int, _ terminal: Terminal) -> String {
        let text = TerminalText.cut(cell.text, to: width)
        let blanks = String(repeating: " ", count: max(0, width - TerminalText.width(text)))
        let painted = terminal.paint(text, cell.color)
        return cell.isRight ? blanks + painted : painted + blanks
    }
}
