// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Logging

/// Asks for another reading of the configuration when the contents of its files have changed (`reload: auto`). On the control loop,
/// all of it.
final class ConfigurationWatcher {
    /// The pause after a change, for the other files to change too: nanoseconds.
    private static let pause: UInt64 = 500_000_000
    /// How often the files are compared without a notification, which some file systems do not send: nanoseconds.
    private static let period: UInt64 = 300_000_000_000

    private let loop: EventLoop
    private let log: Logger
    private let onChange: () -> Void
    private var files: ConfigurationFiles?
    /// What was read last, whether it was valid or not.
    private var fingerprint: ConfigurationFingerprint?
    private var watcher: FileWatcher?
    private var watched: Set<String> = []
    private var timer: TimerToken?

    /// - Parameter onChange: Called when files have other contents than those that were read last.
    init(loop: EventLoop, log: Logger, onChange: @escaping () -> Void) {
        self.loop = loop
        self.log = log
        self.onChange = onChange
    }

    /// Watches files, or none.
    ///
    /// - Parameters:
    ///   - files: The files of the configuration that was read last.
    ///   - fingerprint: Their contents.
    ///   - trigger: When the configuration is to be read again.
    func follow(_ files: ConfigurationFiles, _ fingerprint: ConfigurationFingerprint, when trigger: ReloadTrigger) {
        guard trigger == .auto else { return close() }
        self.files = files
        self.fingerprint = fingerprint
        watch()
        wait(Self.period)
    }

    /// Watches no more.
    func close() {
        watcher?.close()
        watcher = nil
        watched = []
        files = nil
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    private func watch() {
        let wanted = files?.watched() ?? []
        guard wanted != watched else { return }
        watcher?.close()
        watcher = nil
        watched = wanted
        guard !wanted.isEmpty else { return }
        do throws(SystemError) {
            watcher = try FileWatcher(loop: loop, paths: wanted) { [weak self] _ in self?.wait(Self.pause) }
        } catch {
            log.warning(
                "cannot watch the configuration; it is compared every 5 minutes",
                metadata: ["reason": "\(error)"]
            )
        }
        for (path, error) in watcher?.failures ?? [:] {
            log.warning(
                "cannot watch a file of the configuration; it is compared every 5 minutes",
                metadata: ["file": "\(path)", "reason": "\(error)"]
            )
        }
    }

    private func wait(_ time: UInt64) {
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(after: time) { [weak self] in
            self?.timer = nil
            self?.compare()
        }
    }

    private func compare() {
        guard let now = files?.fingerprint() else { return }
        // Files that came and went are watched from now on, also if what is in them is faulty.
        watch()
        wait(Self.period)
        guard now != fingerprint else { return }
        fingerprint = now
        log.info("the configuration's files changed")
        onChange()
    }
}
