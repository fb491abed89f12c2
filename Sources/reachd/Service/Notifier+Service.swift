// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import LinuxIO
import Logging
import Monitoring
import Notifying

extension Notifier {
    /// A notifier of the service's, which tells nobody yet.
    static func service(_ registry: Registry, ledger: HistoryRecorder?, log: Logger) throws(SystemError) -> Notifier {
        try Notifier(
            registry: registry,
            ledger: ledger,
            log: { note in
                log.log(
                    level: Logger.Level(note.level),
                    "\(note.text)",
                    metadata: note.facts.mapValues { .string($0) }
                )
            }
        )
    }
}

extension Logger.Level {
    /// The level of something that operators should read.
    fileprivate init(_ level: NotificationNote.Level) {
        switch level {
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}
