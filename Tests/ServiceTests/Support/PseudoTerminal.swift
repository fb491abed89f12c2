// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport

/// A program on a terminal of its own, and what that terminal shows.
final class PseudoTerminal {
    /// The terminal as it looks, after all bytes so far.
    private(set) var display: TerminalDisplay
    /// The number of bytes that were written to it.
    private(set) var written = 0
    private let pid: pid_t
    private let master: OwnedDescriptor
    private let slave: OwnedDescriptor
    private var status: Int32?

    init(_ arguments: [String], environment: [String: String], columns: Int, rows: Int) throws {
        display = TerminalDisplay(columns: columns, rows: rows)
        let master = OwnedDescriptor(
            owning: try systemCall("open") { unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC) }
        )
        // Swift's Glibc module lacks unlockpt(3) and ptsname(3): these are what they do (ioctl_tty(2)).
        var (locked, number): (Int32, UInt32) = (0, 0)
        try systemCall("TIOCSPTLCK") { unsafe ioctl(master.number, 0x4004_5431, &locked) }
        try systemCall("TIOCGPTN") { unsafe ioctl(master.number, 0x8004_5430, &number) }
        let path = "/dev/pts/\(number)"
        self.master = master
        slave = OwnedDescriptor(owning: try systemCall("open") { unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) })
        try Self.setSize(master, columns, rows)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens controls it.
        unsafe posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | 0x80)
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, arguments[0], &actions, &attributes, &words, &variables)
        guard code == 0 else { throw SystemError(code: code, operation: "posix_spawn") }
        pid = child
    }

    deinit {
        if status == nil {
            kill(pid, SIGKILL)
            _ = wait()
        }
    }

    /// Reads until the display meets a condition.
    ///
    /// - Parameter limit: How long to wait at most, in seconds; a hang limit, not a measurement.
    /// - Returns: The rows then; nil when the program ended before, or the limit passed.
    func wait(limit: UInt64 = 600, until condition: (TerminalDisplay) -> Bool) -> [String]? {
        let start = SystemMonotonicClock().now()
        while !condition(display) {
            guard SystemMonotonicClock().now() - start < limit * 1_000_000_000 else { return nil }
            var place = pollfd(fd: master.number, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&place, 1, 600_000) > 0, read() else { return nil }
        }
        return display.rows
    }

    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe Glibc.read(master.number, &buffer, buffer.count)
        guard count > 0 else { return false }
        written += count
        display.write(buffer.prefix(count))
        return true
    }

    /// Presses keys.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(master.number, bytes, bytes.count)
    }

    /// Changes the size, of which the program is told.
    func resize(columns: Int, rows: Int) throws {
        display = TerminalDisplay(
            columns: columns,
            rows: rows,
            isAlternate: display.isAlternate,
            hasCursor: display.hasCursor
        )
        try Self.setSize(master, columns, rows)
    }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Whether keys arrive only with a line's end, and are shown: the way of a shell.
    var isOrdinary: Bool {
        var settings = termios()
        unsafe tcgetattr(slave.number, &settings)
        return settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == tcflag_t(ICANON | ECHO | ISIG)
    }

    /// Waits for the end.
    ///
    /// - Returns: The exit status, or 128 plus the number of the signal.
    func wait() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while unsafe waitpid(pid, &raw, 0) == -1, errno == EINTR {}
        let ended = raw & 0x7f == 0 ? raw >> 8 & 0xff : 128 + raw & 0x7f
        status = ended
        // What it wrote last.
        var place = pollfd(fd: master.number, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&place, 1, 0) > 0, place.revents & Int16(POLLIN) != 0, read() {}
        return ended
    }

    private static func setSize(_ master: OwnedDescriptor, _ columns: Int, _ rows: Int) throws {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        try systemCall("ioctl") { unsafe ioctl(master.number, UInt(TIOCSWINSZ), &size) }
    }
}

/// What a terminal shows after some bytes: text, movements of the cursor, and the erasures that reachd uses (ECMA-48).
struct TerminalDisplay {
    private var cells: [[Character]]
    private var place = (row: 0, column: 0)
    private var sequence: String?
    private var pending: [UInt8] = []
    /// Whether the screen beside the shell's is shown.
    private(set) var isAlternate = false
    private(set) var hasCursor = true
    /// Sequences that are none of these.
    private(set) var unknown: [String] = []

    init(columns: Int, rows: Int, isAlternate: Bool = false, hasCursor: Bool = true) {
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        self.isAlternate = isAlternate
        self.hasCursor = hasCursor
    }

    /// The rows without the blanks at their ends.
    var rows: [String] {
        cells.map { row in
            var text = String(row)
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    mutating func write(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        // The bytes of a character may come apart.
        var end = pending.count
        while end > 0, pending.count - end < 4, pending[end - 1] & 0xC0 == 0x80 { end -= 1 }
        let isWhole =
            end == 0 || pending[end - 1] < 0xC0 || String(validating: pending[(end - 1)...], as: UTF8.self) != nil
        let count = isWhole ? pending.count : end - 1
        for scalar in String(decoding: pending.prefix(count), as: UTF8.self).unicodeScalars { put(scalar) }
        pending.removeFirst(count)
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        if var text = sequence {
            text.unicodeScalars.append(scalar)
            sequence = text
            if text.count > 1, (0x40...0x7E).contains(scalar.value) {
                sequence = nil
                obey(text)
            }
        } else if scalar == "\u{1B}" {
            sequence = ""
        } else if scalar == "\r" {
            place.column = 0
        } else if scalar == "\n" {
            place.row = min(place.row + 1, cells.count - 1)
        } else if cells.indices.contains(place.row), cells[place.row].indices.contains(place.column) {
            cells[place.row][place.column] = Character(scalar)
            place.column += 1
        }
    }

    private mutating func obey(_ text: String) {
        let numbers = text.dropFirst().dropLast().split(separator: ";").compactMap { Int($0) }
        switch text {
        case "[?1049h", "[?1049l": isAlternate = text.hasSuffix("h")
        case "[?25h", "[?25l": hasCursor = text.hasSuffix("h")
        case "[?7h", "[?7l": break
        case "[2J": for row in cells.indices { cells[row] = cells[row].map { _ in " " } }
        case "[K": for column in cells[place.row].indices.dropFirst(place.column) { cells[place.row][column] = " " }
        case let text where text.hasSuffix("H") && numbers.count == 2: place = (numbers[0] - 1, numbers[1] - 1)
        case let text where text.hasSuffix("m"): break
        default: unknown.append(text)
        }
    }
}
