// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
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
