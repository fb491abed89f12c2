// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Logging

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
