// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import History
import LinuxIO
import Logging
import Monitoring
import ReachAPI

extension HistoryRecorder {
    /// A recorder that has opened its log; nil when there is to be none.
    ///
    /// - Throws: ``ServiceFailure`` when the log that the configuration names cannot be had and waiting does not help, or when
    ///   reachd must not be without one.
    static func started(
        _ configuration: HistoryConfiguration,
        environment: [String: String],
        registry: Registry,
        log: Logger
    ) throws(ServiceFailure) -> HistoryRecorder? {
        guard configuration.isEnabled else { return nil }
        guard let path = configuration.file(environment) else {
            let words = "no writable directory for the event log"
            guard !configuration.settings.isRequired else {
                throw ServiceFailure(.configuration, ["reachd: \(words); set history.path"])
            }
            log.notice("\(words); events are kept in memory only; set history.path")
            return nil
        }
        let file = SQLiteEventFile(path: path)
        let clock = SystemWallClock()
        let recorder: HistoryRecorder
        do throws(SystemError) {
            recorder = try HistoryRecorder(
                registry: registry,
                settings: configuration.settings,
                open: { code throws(HistoryError) in try file.open(isCorrupt: code == .corrupt, now: clock.now()) },
                clock: clock,
                log: { log.log($0) }
            )
        } catch {
            throw ServiceFailure(.system, ["reachd: \(error)"])
        }
        do throws(HistoryError) {
            try recorder.start()
        } catch {
            if error.code == .locked, configuration.path == nil, !configuration.settings.isRequired {
                // Two by hand on one machine are nothing wrong, and neither said that it wants the file.
                log.warning("the event log is in memory only: \(error)")
                return nil
            }
            throw failure(error)
        }
        log.info("event log", metadata: ["file": "\(path)", "state": "\(recorder.status.state.rawValue)"])
        return recorder
    }

    private static func failure(_ error: HistoryError) -> ServiceFailure {
        let status: ExitStatus
        let next: String
        switch error.code {
        case .locked: (status, next) = (.unavailable, "stop that process, or set history.path to another file")
        case .tooNew: (status, next) = (.configuration, "start that version, or move the file away")
        case .foreign: (status, next) = (.configuration, "choose another file with history.path")
        case .cannotOpen:
            (status, next) = (
                .configuration, "create its directory, writable for this user, or set another history.path"
            )
        default:
            (status, next) = (
                .inputOutput, "fix the disk or the file, or set history.required to false to start without it"
            )
        }
        return ServiceFailure(status, ["reachd: cannot use the event log: \(error): \(next)"])
    }
}

/// The history of targets: the recorder that measures and writes it, its reader, and their thread.
final class TargetHistory: Sendable {
    /// Reads what is kept.
    let reader: HistoryReader
    private let recorder: RollupRecorder
    private let loop: EventLoop

    /// Begins to measure; nil when there is no file for it.
    init?(
        _ configuration: HistoryConfiguration,
        environment: [String: String],
        registry: Registry,
        log: Logger
    ) throws(SystemError) {
        guard let path = configuration.file(environment) else { return nil }
        loop = try EventLoop(name: "reachd-reader")
        do throws(SystemError) {
            recorder = try RollupRecorder(
                registry: registry,
                path: path,
                settings: configuration.rollups,
                log: { log.log($0) }
            )
        } catch {
            loop.close()
            throw error
        }
        reader = HistoryReader(path: path, rollups: recorder)
        recorder.start()
    }

    /// Runs something that waits for the disk. A request while the service stops gets no answer, as with any other connection.
    func read(_ job: @escaping @Sendable () -> Void) { loop.execute(job) }

    /// Records this machine's connections to targets, too.
    func record(trafficOf probes: ProbeMonitor) {
        recorder.record { [weak probes] in probes?.trafficSnapshot() }
    }

    /// Keeps everything for other lengths of time from now on.
    func apply(_ settings: RollupSettings) { recorder.apply(settings) }

    /// Writes what there is and ends; waits for a disk that hangs up to a moment.
    func stop(by deadline: Deadline = Deadline(after: HistorySettings.endingLimit)) {
        recorder.stop(within: deadline.left)
        loop.close(within: deadline.left)
    }
}
