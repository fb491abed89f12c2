// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Logging
import Monitoring
import Targets

extension TargetBook {
    /// A book with the state file that the configuration wants, read and reserved for this process.
    ///
    /// - Throws: ``ServiceFailure`` when another process has the file that the configuration names.
    static func started(
        _ configuration: ReachdConfiguration,
        environment: [String: String],
        registry: Registry,
        log: Logger
    ) throws(ServiceFailure) -> TargetBook {
        var path: String?
        var reason = "state_file is none"
        switch configuration.stateFile {
        case .none: break
        case .file(let named): path = named
        case .standard:
            path = StateDirectory.path(of: .targets, environment)
            if path == nil {
                reason = "no folder for the state file can be written; state_file names one"
                log.notice("targets of the HTTP interface are in memory only: \(reason)")
            }
        }
        var lock: FileLock?
        if let file = path {
            do throws(FileLockError) {
                lock = try FileLock(of: file)
            } catch {
                switch error {
                // The book tells what becomes of a file whose folder cannot be written.
                case .system: break
                case .held where configuration.stateFile == .standard:
                    // Two by hand on one machine are nothing wrong, and neither said that it wants the file.
                    reason = "\(error)"
                    path = nil
                    log.warning("targets of the HTTP interface are in memory only: \(reason)")
                case .held:
                    let next = "end it, or give this one a file of its own with state_file"
                    throw ServiceFailure(.unavailable, ["reachd: cannot keep targets: \(error): \(next)"])
                }
            }
        }
        return TargetBook(
            registry: registry,
            stateFile: path,
            lock: lock,
            memoryReason: reason,
            policy: configuration.http.access.targets
        ) { note in
            log.log(level: Logger.Level(note.level), "\(note.text)")
        }
    }
}
