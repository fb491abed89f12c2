// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import History
import LinuxIO
import Logging
import Monitoring

/// What is kept of each target over time: who measures and writes it, who reads it, and the thread on which that is done.
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
                log: { log.log(level: Logger.Level($0.level), "\($0.text)") }
            )
        } catch {
            loop.close()
            throw error
        }
        reader = HistoryReader(path: path, rollups: recorder)
        recorder.start()
    }

    /// Runs something that waits for the disk. Who asks while the service ends gets no answer, as with any other connection.
    func read(_ job: @escaping @Sendable () -> Void) { loop.execute(job) }

    /// Keeps everything for other lengths of time from now on.
    func apply(_ settings: RollupSettings) { recorder.apply(settings) }

    /// Writes what there is and ends; waits for a disk that hangs up to a moment.
    func stop(by deadline: Deadline = Deadline(after: HistorySettings.endingLimit)) {
        recorder.stop(within: deadline.left)
        loop.close(within: deadline.left)
    }
}
