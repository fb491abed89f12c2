// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Logging
import Monitoring
import Targets

extension TargetStore {
    /// A book with the state file that the configuration wants, read and reserved for this process.
    ///
    /// - Throws: ``ServiceFailure`` when another process has the file that the configuration names.
    static func started(
        _ configuration: ReachdConfiguration,
        environment: [String: String],
        registry: Registry,
        log: Logger
    ) throws(ServiceFailure) -> TargetStore {
        var place = Place.memory(reason: "state_file is none")
        switch configuration.stateFile {
        case .none: break
        case .file(let path): place = .file(path)
        case .standard:
            if let path = StateDirectory.path(of: .targets, environment) {
                place = .table(path, importing: StateDirectory.path(of: .formerTargets, environment))
            } else {
                let reason = "no directory for the state file is writable; set state_file"
                place = .memory(reason: reason)
                log.notice("API targets are kept in memory only: \(reason)")
            }
        }
        var locks: [FileLock] = []
        do throws(FileLockError) {
            switch place {
            case .memory: break
            case .file(let path): locks = [try FileLock(of: path)]
            case .table(let path, let former):
                // Version 0.1.0 may run and have the file that would be imported.
                if let former, SystemFile.exists(former) { locks = [try FileLock(of: former)] }
                locks.append(try FileLock(of: path))
            }
        } catch {
            switch error {
            // The book tells what becomes of a file whose folder cannot be written.
            case .system: break
            case .held where configuration.stateFile == .standard:
                // Two by hand on one machine are nothing wrong, and neither said that it wants the file.
                place = .memory(reason: "\(error)")
                log.warning("API targets are kept in memory only: \(error)")
            case .held:
                let next = "stop that process, or set state_file to another file"
                throw ServiceFailure(.unavailable, ["reachd: cannot use the state file: \(error): \(next)"])
            }
        }
        return TargetStore(
            registry: registry,
            place: place,
            locks: locks,
            policy: configuration.http.targetPolicy
        ) { log.log($0) }
    }
}
