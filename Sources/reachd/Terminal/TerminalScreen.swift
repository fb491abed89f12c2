// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a terminal shows: rows that are no wider than it. Two screens tell which rows to write anew.
struct TerminalScreen: Equatable {
    let width: Int
    let height: Int
    /// From the top; rows that are missing are empty.
    private(set) var rows: [String] = []

    /// - Parameters:
    ///   - width: the columns.
    ///   - height: the rows.
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// How many rows are free.
    var room: Int { height - rows.count }

    /// Adds a row, if one is free.
    mutating func add(_ row: TerminalRow) {
        guard room > 0 else { return }
        var text = row.text
        while text.last == " " { text.removeLast() }
        rows.append(text)
    }

    /// Adds empty rows up to a number of free ones.
    mutating func fill(leaving count: Int) {
        while room > count { rows.append("") }
    }

    /// What to write to a terminal that shows another screen (ECMA-48).
    ///
    /// - Parameter old: What it shows; nil if that is unknown.
    func changes(from old: TerminalScreen?) -> String {
        var text = ""
        let isKnown = old.map { $0.width == width && $0.height == height } ?? false
        if !isKnown { text += "\u{1B}[0m\u{1B}[2J" }
        for number in 0..<height {
            let row = row(number)
            let before = isKnown ? old?.row(number) ?? "" : ""
            guard row != before else { continue }
            text += "\u{1B}[\(number + 1);1H\(row)\u{1B}[K"
        }
        return text
    }

    private func row(_ number: Int) -> String { rows.indices.contains(number) ? rows[number] : "" }
}

/// One row in the making: pieces one after the other, as long as there is room.
struct TerminalRow {
    private let width: Int
    private let terminal: Terminal
    private var used = 0
    private(set) var text = ""

    init(width: Int, on terminal: Terminal) {
        self.width = width
        self.terminal = terminal
    }

    /// How many columns are free.
    var room: Int { width - used }

    /// Adds a text, cut where there is no more room.
    ///
    /// - Parameter columns: the columns that it fills, with blanks behind it, or before it if `isRight`; nil for its own width.
    mutating func add(_ piece: String, _ color: TerminalColor? = nil, columns: Int? = nil, isRight: Bool = false) {
        let cut = TerminalText.cut(piece, to: min(columns ?? room, room))
        let blanks = max(0, min(columns ?? 0, room) - TerminalText.width(cut))
        let padding = String(repeating: " ", count: blanks)
        text += isRight ? padding + terminal.paint(cut, color) : terminal.paint(cut, color) + padding
        used += TerminalText.width(cut) + blanks
    }

    /// Adds blanks up to a text at the end of the row; nothing when there is no room for it.
    mutating func end(with piece: String, _ color: TerminalColor? = nil) {
        let columns = TerminalText.width(piece)
        guard columns + 1 <= room else { return }
        add("", columns: room - columns)
        add(piece, color)
    }
}
