// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Logging
import Monitoring
import Synchronization

/// Where the log goes, and what of it: can be changed while loggers are in use.
final class LogOutput: Sendable {
    private struct State {
        var level: Logger.Level
        var format: LogSettings.Format
    }

    private let state: Mutex<State>
    private let clock: any WallClock
    private let sink: @Sendable (String) -> Void

    init(
        _ settings: LogSettings,
        clock: any WallClock = SystemWallClock(),
        sink: @escaping @Sendable (String) -> Void = { StandardStream.error.write(line: $0) }
    ) {
        state = Mutex(Self.state(settings))
        self.clock = clock
        self.sink = sink
    }

    /// Takes up other settings.
    func apply(_ settings: LogSettings) {
        state.withLock { $0 = Self.state(settings) }
    }

    var level: Logger.Level { state.withLock { $0.level } }

    /// A logger that writes here.
    func logger(_ label: String) -> Logger {
        Logger(label: label) { label in LineLogHandler(label: label, output: self) }
    }

    func write(_ entry: LogEntry) {
        let line = state.withLock({ $0.format }) == .json ? entry.json(at: clock.now()) : entry.text(at: clock.now())
        sink(line)
    }

    private static func state(_ settings: LogSettings) -> State {
        State(level: Logger.Level(rawValue: settings.level) ?? .info, format: settings.format)
    }
}

/// swift-log's end of a ``LogOutput``.
struct LineLogHandler: LogHandler {
    let label: String
    let output: LogOutput
    var metadata: Logger.Metadata = [:]

    /// The output's level unless one was set on this logger.
    var logLevel: Logger.Level {
        get { ownLevel ?? output.level }
        set { ownLevel = newValue }
    }
    private var ownLevel: Logger.Level?

    init(label: String, output: LogOutput) {
        self.label = label
        self.output = output
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let fields = all.map { (name: $0.key, value: "\($0.value)") }.sorted { $0.name < $1.name }
        output.write(LogEntry(level: event.level, label: label, message: "\(event.message)", fields: fields))
    }
}

/// One line of the log.
struct LogEntry {
    let level: Logger.Level
    let label: String
    let message: String
    let fields: [(name: String, value: String)]

    /// `time level message key=value`; values that hold blanks or quotes are quoted.
    func text(at moment: Timestamp) -> String {
        var line = "\(moment) \(level.rawValue) \(message.escaped(quotes: false))"
        for field in fields {
            let isPlain =
                !field.value.isEmpty
                && field.value.unicodeScalars.allSatisfy {
                    $0 > " " && $0 != "\"" && $0 != "=" && $0 != "\\" && DisplayText.isPrintable($0)
                }
            line += " \(field.name)="
            line += isPlain ? field.value : "\"\(field.value.escaped(quotes: true))\""
        }
        return line
    }

    /// One JSON object.
    func json(at moment: Timestamp) -> String {
        var line =
            "{\"time\":\"\(moment)\",\"level\":\"\(level.rawValue)\",\"logger\":\"\(label.escaped(quotes: true))\""
        line += ",\"message\":\"\(message.escaped(quotes: true))\""
        for field in fields {
            line += ",\"\(field.name.escaped(quotes: true))\":\"\(field.value.escaped(quotes: true))\""
        }
        return line + "}"
    }
}

extension String {
    /// Without control characters, which would break a line in two or reach a terminal; JSON's escapes.
    fileprivate func escaped(quotes: Bool) -> String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"" where quotes: text += "\\\""
            case "\\" where quotes: text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case _ where DisplayText.isPrintable(scalar): text.unicodeScalars.append(scalar)
            default:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return text
    }
}

extension Logger {
    /// Logs the message of a library.
    func log(_ message: LogMessage) {
        let level: Logger.Level =
            switch message.level {
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
        log(level: level, "\(message.text)", metadata: message.facts.mapValues { .string($0) })
    }
}
