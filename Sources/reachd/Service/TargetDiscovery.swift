// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Logging
import Monitoring
import NetworkPaths
import Schema
import Targets

/// Looks for files of targets: at the start, when something changes where they are, and now and then. On the control loop, all
/// of it.
final class TargetDiscovery {
    private let loop: EventLoop
    private let book: TargetStore
    private let registry: Registry
    private let log: Logger
    private var files: DiscoveryFiles?
    private var watcher: FileWatcher?
    private var folders: Set<String> = []
    private var timer: TimerToken?
    private var found: [TargetSettings] = []

    init(loop: EventLoop, book: TargetStore, registry: Registry, log: Logger) {
        self.loop = loop
        self.book = book
        self.registry = registry
        self.log = log
    }

    /// Takes up other settings and looks.
    ///
    /// - Returns: All targets that were found.
    func apply(_ configuration: ReachdConfiguration) -> [TargetSettings] {
        let judgement = configuration.nameEvaluation
        guard let settings = configuration.discovery else {
            close()
            files = nil
            found = []
            return []
        }
        files =
            files?.applying(settings, nameEvaluation: judgement) ?? DiscoveryFiles(settings, nameEvaluation: judgement)
        found = scan(room: max(0, configuration.maximumTargets - configuration.targets.count))
        return found
    }

    /// Watches no more.
    func close() {
        watcher?.close()
        watcher = nil
        folders = []
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    private func scan(room: Int) -> [TargetSettings] {
        guard let report = files?.scan(room: room) else { return [] }
        follow()
        for faults in report.diagnostics {
            for fault in faults.diagnostics { log.error("\(fault)") }
            log.error("a discovery file was rejected; its previous targets remain")
            registry.announce(.rejected(faults: faults.diagnostics.map(\.description)))
        }
        for note in report.notes { log.log(note) }
        return report.targets
    }

    private func rescan() {
        let targets = scan(room: book.roomForFound)
        guard targets != found else { return }
        found = targets
        let changes = book.find(targets).changes
        log.info(
            "targets of discovery files changed",
            metadata: [
                "added": "\(changes.added)", "updated": "\(changes.updated)", "removed": "\(changes.removed)",
            ]
        )
    }

    /// Watches the folders as they are now, and sets the clock anew.
    private func follow() {
        guard let files else { return }
        let wanted = files.folders
        if wanted != folders {
            watcher?.close()
            watcher = nil
            do throws(SystemError) {
                watcher = try FileWatcher(loop: loop, paths: wanted) { [weak self] _ in self?.rescan() }
            } catch {
                log.warning("cannot watch the discovery files; they are read only every discovery.refresh: \(error)")
            }
            for (folder, failure) in watcher?.failures ?? [:] {
                log.warning("cannot watch \(folder); its files are read only every discovery.refresh: \(failure)")
            }
            folders = wanted
        }
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(after: files.settings.refresh.nanoseconds) { [weak self] in
            self?.timer = nil
            self?.rescan()
        }
    }
}
