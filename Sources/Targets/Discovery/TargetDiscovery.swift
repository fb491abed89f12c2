// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Configuration
import Discovery
package import LinuxIO
package import Monitoring
import NetworkPaths
import Synchronization

/// Finds targets in discovery files and by other sources, and hands them to the target store. On the control loop, all of it.
///
/// Each source owns its targets. If several have one id, the first source counts: the files, then the others in the order of the
/// configuration. What a source found remains while it fails, and while it starts again with other settings.
package final class TargetDiscovery {
    /// The states of the sources, for any thread.
    package let statuses = DiscoveryStatuses()
    private let loop: EventLoop
    private let store: TargetStore
    private let registry: Registry
    private let clock: any WallClock
    private let log: @Sendable (LogMessage) -> Void
    private var files: FileDiscovery?
    private var sources: [RunningSource] = []
    private var found: [TargetSettings] = []
    private var overlaps: [String] = []

    /// Creates a value without sources.
    ///
    /// - Parameters:
    ///   - loop: the control loop.
    ///   - store: receives what is found after ``apply(_:)``.
    ///   - registry: announces rejected files.
    ///   - clock: dates the states.
    ///   - log: receives messages for the operator.
    package init(
        loop: EventLoop,
        store: TargetStore,
        registry: Registry,
        clock: any WallClock = SystemWallClock(),
        log: @escaping @Sendable (LogMessage) -> Void
    ) {
        self.loop = loop
        self.store = store
        self.registry = registry
        self.clock = clock
        self.log = log
    }

    /// Applies a configuration: reads the files, and starts, changes and stops sources. Sources with unchanged settings go on.
    ///
    /// - Returns: all targets that are known now, for ``TargetStore/apply(_:found:)``, which must follow in the same turn.
    package func apply(_ configuration: ReachdConfiguration) -> [TargetSettings] {
        let evaluation = configuration.nameEvaluation
        let settings = configuration.discovery
        let room = max(0, configuration.maximumTargets - configuration.targets.count)
        var old = Dictionary(sources.map { ($0.targets.declaration.name, $0) }) { first, _ in first }
        let kept = (settings?.sources ?? []).map { ($0, old.removeValue(forKey: $0.name)) }
        for source in old.values { source.stop() }
        sources = kept.compactMap(\.1)
        if let settings, !settings.files.isEmpty {
            if let files {
                files.apply(settings, nameEvaluation: evaluation)
            } else {
                files = makeFiles(settings, evaluation)
            }
        } else {
            files?.close()
            files = nil
        }
        sources = kept.map { declaration, known in
            if let known {
                let room = room - count(without: known)
                for message in known.apply(declaration, nameEvaluation: evaluation, room: room) { log(message) }
                return known
            }
            let new = RunningSource(declaration, nameEvaluation: evaluation, loop: loop) { [weak self] in self?.take($0)
            }
            new.start()
            return new
        }
        statuses.set(
            (files == nil ? [] : [DiscoverySourceStatus(name: DeclaredSource.files, kind: DeclaredSource.files)])
                + sources.map {
                    DiscoverySourceStatus(name: $0.targets.declaration.name, kind: $0.targets.declaration.kind)
                }
        )
        scanFiles(room: room)
        for source in sources { showCount(of: source) }
        found = merged()
        return found
    }

    /// Stops all sources.
    package func close() {
        files?.close()
        for source in sources { source.stop() }
        (files, sources) = (nil, [])
    }

    private func makeFiles(_ settings: DiscoverySettings, _ evaluation: PathRequest.NameEvaluation) -> FileDiscovery {
        FileDiscovery(settings, nameEvaluation: evaluation, loop: loop, registry: registry, log: log) { [weak self] in
            guard let self else { return }
            scanFiles(room: store.roomForFound)
            publish()
        }
    }

    // MARK: Results

    private func scanFiles(room: Int) {
        guard let files else { return }
        let error = files.scan(room: room - sources.reduce(0) { $0 + $1.targets.targets.count })
        statuses.update(DeclaredSource.files, error, files.targets.count, at: clock.now())
    }

    private func take(_ source: RunningSource) {
        let messages = source.take(room: store.roomForFound - count(without: source))
        let name = source.targets.declaration.name
        // First, so that a reader of a message finds the state that it reports.
        statuses.update(name, source.error, source.targets.targets.count, at: clock.now())
        for message in messages { log(message) }
        publish()
    }

    private func showCount(of source: RunningSource) {
        statuses.count(source.targets.targets.count, of: source.targets.declaration.name)
    }

    /// The number of targets of all sources but one.
    private func count(without source: RunningSource) -> Int {
        sources.reduce(files?.targets.count ?? 0) { $0 + ($1 === source ? 0 : $1.targets.targets.count) }
    }

    private func publish() {
        let targets = merged()
        guard targets != found else { return }
        found = targets
        let changes = store.find(targets).changes
        log(
            LogMessage(
                .info,
                "discovered targets changed",
                facts: [
                    "added": "\(changes.added)", "updated": "\(changes.updated)", "removed": "\(changes.removed)",
                ]
            )
        )
    }

    /// The targets of all sources, each id once.
    private func merged() -> [TargetSettings] {
        guard !sources.isEmpty else { return files?.targets ?? [] }
        var owners: [String: String] = [:]
        var targets: [TargetSettings] = []
        var overlaps: [String] = []
        func add(_ more: [TargetSettings], of name: String) {
            for target in more {
                guard let owner = owners[target.id] else {
                    owners[target.id] = name
                    targets.append(target)
                    continue
                }
                if overlaps.count < 1_000 {
                    overlaps.append("\(target.id) is found by \(owner) and by \(name); only the first counts")
                }
            }
        }
        if let files { add(files.targets, of: DeclaredSource.files) }
        for source in sources { add(source.targets.targets, of: source.targets.declaration.name) }
        let known = Set(self.overlaps)
        for overlap in overlaps.filter({ !known.contains($0) }).prefix(20) {
            log(LogMessage(.warning, "the target \(overlap)"))
        }
        self.overlaps = overlaps
        return targets
    }
}

/// The states of the sources, in the order of the configuration. Any thread.
package final class DiscoveryStatuses: Sendable {
    private let statuses = Mutex<[DiscoverySourceStatus]>([])

    /// The states.
    package var all: [DiscoverySourceStatus] { statuses.withLock { $0 } }

    /// Sets the sources; those that are known keep their states.
    func set(_ new: [DiscoverySourceStatus]) {
        statuses.withLock { statuses in
            statuses = new.map { status in
                statuses.first { $0.name == status.name && $0.kind == status.kind } ?? status
            }
        }
    }

    /// Sets the result of a look.
    func update(_ name: String, _ error: SourceError?, _ count: Int, at time: Timestamp) {
        statuses.withLock { statuses in
            guard let index = statuses.firstIndex(where: { $0.name == name }) else { return }
            statuses[index].targets = count
            statuses[index].failure = error.map { .init(code: $0.code.rawValue, message: $0.words) }
            if error == nil { statuses[index].lastSuccess = time }
        }
    }

    /// Sets the number of a source's targets.
    func count(_ count: Int, of name: String) {
        statuses.withLock { statuses in
            guard let index = statuses.firstIndex(where: { $0.name == name }) else { return }
            statuses[index].targets = count
        }
    }
}
