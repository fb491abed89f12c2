// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Glibc
import History
import ReachAPI

/// Whether what must outlive a restart can be written, and has room.
enum StateCheck {
    typealias Check = DiagnosisListing.Check

    /// Below it a disk counts as full soon.
    private static let room: UInt64 = 256 << 20

    static func checks(_ configuration: ReachdConfiguration, _ environment: [String: String]) -> [Check] {
        var checks: [Check] = []
        let history = configuration.history
        if !history.isEnabled {
            checks.append(Check("event_log", .ok, "disabled (history.enabled); events are kept in memory only"))
        } else if let path = history.file(environment, isTrial: true) {
            checks.append(place("event_log", path, isMade: history.path == nil))
        } else {
            checks.append(
                Check(
                    "event_log",
                    history.settings.isRequired ? .fail : .warn,
                    "no writable directory: STATE_DIRECTORY, /var/lib/reachd and HOME were tried",
                    advice:
                        "create /var/lib/reachd for the user that runs reachd (Docker: a volume), or set history.path"
                )
            )
        }
        checks.append(stateFile(configuration.stateFile, environment))
        return checks
    }

    private static func stateFile(_ setting: StateFileSetting, _ environment: [String: String]) -> Check {
        switch setting {
        case .file(let path): return place("state_file", path)
        case .none:
            return Check(
                "state_file",
                .ok,
                "disabled (state_file); targets of API clients are lost when reachd stops"
            )
        case .standard:
            if let path = StateDirectory.path(of: .targets, environment, isTrial: true) {
                return place("state_file", path, isMade: true)
            }
            return Check(
                "state_file",
                .warn,
                "no writable directory; targets of API clients are lost when reachd stops",
                advice: "create /var/lib/reachd for the user that runs reachd (Docker: a volume), or set state_file"
            )
        }
    }

    /// - Parameter isMade: Whether reachd makes the folders above it.
    private static func place(_ id: String, _ path: String, isMade: Bool = false) -> Check {
        var directory = StateDirectory.above(path)
        while isMade, !SystemFile.exists(directory), directory.count > 1 { directory = StateDirectory.above(directory) }
        let isThere = SystemFile.exists(path)
        let isWritable = unsafe access(directory, W_OK | X_OK) == 0
        let isOurs = unsafe isThere ? access(path, W_OK) == 0 : true
        guard isWritable, isOurs else {
            let reason = unsafe String(cString: strerror(errno))
            return Check(
                id,
                .fail,
                "\(path) is not writable: \(reason)",
                advice: "give \(directory) to the user that runs reachd, or configure another path"
            )
        }
        var facts = statvfs()
        guard unsafe statvfs(directory, &facts) == 0 else { return Check(id, .ok, "\(path) is writable") }
        let free = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue
        let words = "\(path) is writable, \(free >> 20) MiB free"
        return free < room
            ? Check(id, .warn, words, advice: "free space on the disk of \(directory)") : Check(id, .ok, words)
    }
}
