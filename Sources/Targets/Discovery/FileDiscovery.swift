// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Discovery
import LinuxIO
import Monitoring
import NetworkPaths
import Schema

/// The discovery files as a source: read at the start, when something changes in their folders, and at intervals. On the control
/// loop.
final class FileDiscovery {
    private let loop: EventLoop
    private let log: @Sendable (LogMessage) -> Void
    private let registry: Registry
    private let changed: () -> Void
    private var files: DiscoveryFiles
    private var watcher: FileWatcher?
    private var folders: Set<String> = []
    private var timer: TimerToken?
    /// The targets of all files.
    private(set) var targets: [TargetSettings] = []

    /// Creates the source without reading.
    ///
    /// - Parameter changed: called when the files should be read again.
    init(
        _ settings: DiscoverySettings,
        nameEvaluation: PathRequest.NameEvaluation,
        loop: EventLoop,
        registry: Registry,
        log: @escaping @Sendable (LogMessage) -> Void,
        changed: @escaping () -> Void
    ) {
        self.loop = loop
        self.registry = registry
        self.log = log
        self.changed = changed
        files = DiscoveryFiles(settings, nameEvaluation: nameEvaluation)
    }

    /// Applies other settings, with the known contents: a file that is faulty now keeps its targets.
    func apply(_ settings: DiscoverySettings, nameEvaluation: PathRequest.NameEvaluation) {
        files = files.applying(settings, nameEvaluation: nameEvaluation)
    }

    /// Reads changed files.
    ///
    /// - Parameter room: the maximum number of targets.
    /// - Returns: why some of them are not used; nil if all are.
    func scan(room: Int) -> SourceError? {
        let report = files.scan(room: room)
        targets = report.targets
        follow()
        for faults in report.diagnostics {
            for fault in faults.diagnostics { log(LogMessage(.error, "\(fault)")) }
            log(LogMessage(.error, "a discovery file was rejected; its previous targets remain"))
            registry.announce(.rejected(faults: faults.diagnostics.map(\.description)))
        }
        for note in report.notes { log(note) }
        return files.firstFault.map { SourceError(.malformed, "\($0)") }
    }

    /// Watches no more.
    func close() {
        watcher?.close()
        watcher = nil
        folders = []
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    /// Watches the folders as they are now, and restarts the timer.
    private func follow() {
        let wanted = files.folders
        if wanted != folders {
            watcher?.close()
            watcher = nil
            do throws(SystemError) {
                watcher = try FileWatcher(loop: loop, paths: wanted) { [weak self] _ in self?.changed() }
            } catch {
                warn("cannot watch the discovery files; they are read only every discovery.refresh: \(error)")
            }
            for (folder, failure) in watcher?.failures ?? [:] {
                warn("cannot watch \(folder); its files are read only every discovery.refresh: \(failure)")
            }
            folders = wanted
        }
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(after: files.settings.refresh.nanoseconds) { [weak self] in
            self?.timer = nil
            self?.changed()
        }
    }

    private func warn(_ words: String) { log(LogMessage(.warning, words)) }
}
