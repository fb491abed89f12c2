// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Glibc

/// The properties of standard output: colours, width, character set.
struct Terminal {
    /// Whether standard output is a terminal.
    static let isOutput = isatty(STDOUT_FILENO) == 1
    /// Whether to use colours.
    let hasColor: Bool
    /// The columns; nil for no limit.
    let width: Int?
    /// Whether it displays more than ASCII.
    let isUnicode: Bool

    init(_ choice: ColorChoice = .auto, environment: [String: String] = ProcessEnvironment.variables()) {
        switch choice {
        case .always: hasColor = true
        case .never: hasColor = false
        case .auto:
            // no-color.org: any value that is not empty.
            let isRefused = environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
            hasColor = Self.isOutput && !isRefused
        }
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), (20...10_000).contains(columns) {
            width = columns
        } else if Self.isOutput {
            var size = winsize()
            let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col >= 20
            width = isKnown ? Int(size.ws_col) : 80
        } else {
            width = nil
        }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let isOther = locale.contains(".") && !locale.uppercased().contains("UTF")
        isUnicode = !isOther && locale != "C" && locale != "POSIX"
    }

    /// The text in a colour, where colours are used.
    func paint(_ text: String, _ color: TerminalColor?) -> String {
        guard hasColor, let color, !text.isEmpty else { return text }
        return "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m"
    }
}

/// When output is coloured.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
}

/// ANSI colours.
enum TerminalColor: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
    case bold = "1"
    case faint = "2"
    case reverse = "7"
}

/// The colours of states, by their names in the HTTP interface.
enum StateColor {
    static func of(_ state: String) -> TerminalColor? {
        switch state {
        case "up", "online", "reachable", "ok": .green
        case "degraded", "warn": .yellow
        case "down", "fail", "offline": .red
        case "unreachable", "not_reachable", "not reachable": .magenta
        case "maintenance": .blue
        case "unknown", "paused": .faint
        default: nil
        }
    }
}

/// The order of states for people: what fails first, the worst before others.
enum StateOrder {
    private static let order = ["down", "unreachable", "degraded", "unknown", "up", "maintenance", "paused"]

    /// The place of a state by its name in the HTTP interface; 0 for the worst.
    static func rank(_ state: String?) -> Int { state.flatMap { order.firstIndex(of: $0) } ?? order.count }
}
