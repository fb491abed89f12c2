// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// The terminal as a canvas: keys arrive one by one, the screen is another one than the shell's. One thread.
final class FullScreen {
    private static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let end = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private var ordinary = termios()
    private var isActive = false
    private var shown: TerminalScreen?

    /// Whether the standard input and output are terminals.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && Terminal.isOutput }

    /// The size of the terminal in columns and rows.
    static var size: (width: Int, height: Int) {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (min(Int(size.ws_col), 1_000), min(Int(size.ws_row), 1_000))
    }

    /// Takes the terminal over.
    ///
    /// - Throws: ``SystemError`` when its settings cannot be changed.
    func enter() throws(SystemError) {
        guard !isActive else { return }
        try systemCall("tcgetattr") { unsafe tcgetattr(STDIN_FILENO, &ordinary) }
        var raw = ordinary
        unsafe cfmakeraw(&raw)
        try systemCall("tcsetattr") { unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) }
        isActive = true
        shown = nil
        write(Self.begin)
    }

    /// Gives the terminal back as it was.
    func leave() {
        guard isActive else { return }
        isActive = false
        write(Self.end)
        unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &ordinary)
    }

    /// Shows a screen: writes the rows that differ from those before.
    func show(_ screen: TerminalScreen) {
        let text = screen.changes(from: shown)
        shown = screen
        if !text.isEmpty { write(text) }
    }

    /// Writes all rows the next time.
    func invalidate() { shown = nil }

    private func write(_ text: String) { StandardStream.output.write(Array(text.utf8)) }

    deinit { leave() }
}
