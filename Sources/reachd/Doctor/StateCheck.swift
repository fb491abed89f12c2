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
            checks.append(Check("event_log", .ok, "switched off (history.enabled): what happens is in memory alone"))
        } else if let path = history.file(environment, isTrial: true) {
            checks.append(place("event_log", path, isMade: history.path == nil))
        } else {
            checks.append(
                Check(
                    "event_log",
                    history.settings.isRequired ? .fail : .warn,
                    "there is no folder for it: neither STATE_DIRECTORY nor /var/lib/reachd nor one below HOME can be written",
                    advice:
                        "make /var/lib/reachd for the user that reachd runs as (Docker: a volume), or set history.path"
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
                "switched off (state_file): targets that clients add last until reachd ends"
            )
        case .standard:
            if let path = StateDirectory.path(of: .targets, environment, isTrial: true) {
                return place("state_file", path, isMade: true)
            }
            return Check(
                "state_file",
                .warn,
                "there is no folder for it: targets that clients add last until reachd ends",
                advice: "make /var/lib/reachd for the user that reachd runs as (Docker: a volume), or set state_file"
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
                "\(path) cannot be written: \(reason)",
                advice: "give \(directory) to the user that reachd runs as, or name another place"
            )
        }
        var facts = statvfs()
        guard unsafe statvfs(directory, &facts) == 0 else { return Check(id, .ok, "\(path) can be written") }
        let free = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue
        let words = "\(path) can be written, \(free >> 20) MiB are free"
        return free < room
            ? Check(id, .warn, words, advice: "make room on the disk of \(directory)") : Check(id, .ok, words)
    }
}
