// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Configuration
import History
package import LinuxIO
package import Monitoring
import NetworkPaths
package import Probing
import Synchronization

/// Who declared which target, and which of several with one id counts: the configuration's before the HTTP interface's, and
/// that before one that was found in a file of targets. The losers are kept, and come back when the winner goes.
///
/// The one way by which the registry's list changes. Changes take turns, and the turn lasts while the file is written and the
/// registry takes them: never from the engine's thread. The lock of the state is held for memory alone, so nothing that only
/// looks waits for a disk. One change costs what it changes, however many targets there are.
package final class TargetStore: Sendable {
    /// What was declared.
    struct State: Sendable {
        var configured: [TargetSettings] = []
        var configuredIDs: Set<String> = []
        var written: [String: APITarget] = [:]
        var found: [TargetSettings] = []
        var foundIDs: Set<String> = []
        /// Which of the targets that count depends on which.
        var dependencies = DependencyGraph()
        var nextNumber: UInt64 = 1
        /// A configuration was adopted.
        var isAdopted = false
        var maximum = Int.max
        var isAutomatic = false
        var nameEvaluation = PathRequest.NameEvaluation.optimistic
        /// Which targets the interface may declare; nil for all.
        var policy: TargetPolicy?
        /// Why nothing may be written over the state file: what it holds could neither be read nor kept.
        var obstacle: String?
    }

    let registry: Registry
    let keeping: Keeping
    private let log: @Sendable (LogMessage) -> Void
    /// Has one change made at a time; holds what the log is told when the turn is over.
    private let turn = Mutex<[LogMessage]>([])
    let state: Mutex<State>
    private let storageStatus: Mutex<TargetStorage>
    /// The table while it is open; changed in a turn.
    let store = Mutex<DeclarationStore?>(nil)
    /// Keep other processes from the state file.
    private let locks: [FileLock]

    /// Where the targets of the interface are kept over a restart.
    package enum Place: Sendable {
        /// Nowhere, for a reason that people can read.
        case memory(reason: String)
        /// In a JSON file, which is written as a whole for each change.
        case file(String)
        /// In a table, of which a change writes what changed; `importing` is a JSON file whose targets it takes over once.
        case table(String, importing: String?)
    }

    /// Reads what is kept; nothing is watched yet.
    ///
    /// - Parameters:
    ///   - registry: takes the targets.
    ///   - place: where the targets of the interface are kept.
    ///   - locks: the right to write there, held as long as this object lives; empty where no other process can.
    ///   - policy: which targets the interface may declare until a configuration is adopted, which says it from then on; nil
    ///     for all.
    ///   - log: takes what the operator should know; called outside of all locks.
    package convenience init(
        registry: Registry,
        place: Place,
        locks: [FileLock] = [],
        policy: TargetPolicy? = nil,
        log: @escaping @Sendable (LogMessage) -> Void = { _ in }
    ) {
        let keeping: Keeping =
            switch place {
            case .memory(let reason): .memory(reason: reason)
            case .file(let path): .file(StateFile(path))
            case .table(let path, let importing): .table(DeclarationFile(path, importing: importing))
            }
        self.init(registry: registry, keeping: keeping, locks: locks, policy: policy, log: log)
    }

    /// As ``Place``, with what tests put into the steps of a write.
    enum Keeping: Sendable {
        case memory(reason: String)
        case file(StateFile)
        case table(DeclarationFile)
    }

    init(
        registry: Registry,
        keeping: Keeping,
        locks: [FileLock] = [],
        policy: TargetPolicy? = nil,
        log: @escaping @Sendable (LogMessage) -> Void
    ) {
        self.registry = registry
        self.keeping = keeping
        self.locks = locks
        self.log = log
        var first = State()
        first.policy = policy
        state = Mutex(first)
        switch keeping {
        case .memory(let reason):
            storageStatus = Mutex(.memory(reason))
        case .file(let file):
            storageStatus = Mutex(.file(file.path))
            inTurn { notes in restore(from: file, &notes) }
        case .table(let file):
            storageStatus = Mutex(.file(file.path))
            inTurn { notes in restore(from: file, &notes) }
        }
    }

    /// Makes a change when no other is made, and tells the log when it is made.
    func inTurn<Value, Failure: Error>(
        _ body: (inout [LogMessage]) throws(Failure) -> sending Value
    ) throws(Failure) -> Value {
        var told: [LogMessage] = []
        defer { for note in told { log(note) } }
        return try turn.withLock { notes throws(Failure) -> sending Value in
            defer {
                told = notes
                notes = []
            }
            return try body(&notes)
        }
    }

    /// Puts the targets of a configuration in force, beside those of the interface and those that were found.
    ///
    /// - Parameter found: targets of files, when they are others than before as well.
    @discardableResult
    package func apply(_ configuration: ReachdConfiguration, found: [TargetSettings]? = nil) -> AppliedTargets {
        inTurn { notes in
            let (old, new, superseded) = state.withLock { state in
                let isFirst = !state.isAdopted
                // What was read from the state file is not in force before.
                let old = state.isAdopted ? state.effective : []
                state.isAdopted = true
                let superseded = Set(state.superseded)
                state.configured = configuration.targets
                state.configuredIDs = Set(configuration.targets.map(\.id))
                state.maximum = configuration.maximumTargets
                state.isAutomatic = configuration.watchesAutomatically
                if let found { state.setFound(found) }
                if state.nameEvaluation != configuration.nameEvaluation {
                    state.nameEvaluation = configuration.nameEvaluation
                    reread(&state)
                }
                let policy = configuration.http.targetPolicy
                if state.policy != policy || isFirst { notes += Self.denied(state.written.values, policy) }
                state.policy = policy
                return (old, state.linked(), superseded)
            }
            let adopted = apply(new, from: old, &notes)
            for id in adopted.superseded where !superseded.contains(id) {
                let words = "the target \(id) of the HTTP interface rests: the configuration has one with this id"
                notes.append(LogMessage(.warning, words))
            }
            return adopted
        }
    }

    /// Puts the targets of all files of targets in force.
    @discardableResult
    package func find(_ targets: [TargetSettings]) -> AppliedTargets {
        inTurn { notes in
            let (old, new) = state.withLock { state in
                let old = state.effective
                state.setFound(targets)
                return (old, state.linked())
            }
            return apply(new, from: old, &notes)
        }
    }

    /// How many more targets may be found in files.
    package var roomForFound: Int {
        state.withLock { max(0, $0.maximum - $0.configured.count - $0.written.count) }
    }

    /// The number of targets in force, without those that reachd itself watches.
    package var count: Int { state.withLock { $0.effective.count } }

    /// Where the targets of the interface are kept, as the last write went. Any thread; never waits for a disk.
    package var storage: TargetStorage { storageStatus.withLock { $0 } }

    private var isPersistent: Bool {
        if case .memory = keeping { false } else { true }
    }

    func report(_ storage: TargetStorage) { storageStatus.withLock { $0 = storage } }

    // MARK: In a turn

    private func apply(
        _ new: [TargetSettings],
        from old: [TargetSettings],
        _ notes: inout [LogMessage]
    ) -> AppliedTargets {
        let (isAutomatic, maximum, superseded) = state.withLock { ($0.isAutomatic, $0.maximum, $0.superseded) }
        var adopted = AppliedTargets()
        adopted.changes = registry.apply(targets: new, automatic: isAutomatic)
        adopted.superseded = superseded
        let before = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
        var gone = Set(before.keys)
        for target in new {
            gone.remove(target.id)
            guard let known = before[target.id] else {
                adopted.added.append(target.id)
                continue
            }
            if known != target { adopted.updated.append(target.id) }
        }
        adopted.removed = gone.sorted()
        if new.count > maximum {
            let words = "there are \(new.count) targets, more than limits.targets (\(maximum)); no more are taken"
            notes.append(LogMessage(.warning, words))
        }
        return adopted
    }

    /// Says which targets of the interface are not asked any more, or were declared under another policy before the start. They
    /// stay, and are asked again when the policy lets them be.
    private static func denied(_ targets: some Collection<APITarget>, _ policy: TargetPolicy) -> [LogMessage] {
        let refused = targets.compactMap { target in
            policy.refusal(of: target.settings).map { (id: target.settings.id, detail: $0.detail) }
        }
        guard !refused.isEmpty else { return [] }
        let words =
            "access.targets closes \(refused.count) targets of the HTTP interface; their probes fail with target_denied"
        return [LogMessage(.warning, words)]
            + refused.sorted { $0.id < $1.id }.prefix(100).map { id, detail in
                LogMessage(.warning, "the target \(id) of the HTTP interface is not asked: \(detail)")
            }
    }

    /// Makes the targets of the interface anew, by other defaults.
    private func reread(_ state: inout State) {
        for (id, target) in state.written {
            let reader = reader(state, policy: nil, others: nil)
            var settings = target.settings
            guard let node = try? YAMLNode(json: target.declaration),
                // What it depends on is no concern of this reading.
                let new = try? reader.read([node.without("depends_on")], isBatch: false).first
            else { continue }
            settings.request = new.request
            settings.probe = new.probe
            state.written[id] = APITarget(
                number: target.number,
                declaration: target.declaration,
                settings: settings
            )
        }
    }

    func reader(
        _ state: State,
        policy: TargetPolicy?,
        others: DeclaredTargets?
    ) -> DeclarationReader {
        DeclarationReader(
            nameEvaluation: state.nameEvaluation,
            isPersistent: isPersistent,
            policy: policy,
            others: others
        )
    }
}

extension TargetStore.State {
    /// How many were declared, those that rest too.
    var total: Int { configured.count + written.count + found.count }

    /// The targets of the interface in the order in which they came.
    var writtenInOrder: [APITarget] { written.values.sorted { $0.number < $1.number } }

    /// The targets that count, each id once.
    var effective: [TargetSettings] {
        configured + writtenInOrder.lazy.map(\.settings).filter { !configuredIDs.contains($0.id) }
            + found.filter { !configuredIDs.contains($0.id) && written[$0.id] == nil }
    }

    /// The targets that count, after a change of a whole list.
    mutating func linked() -> [TargetSettings] {
        let targets = effective
        dependencies = DependencyGraph()
        for target in targets { dependencies.set(target.id, dependsOn: target.dependsOn) }
        _ = dependencies.resume()
        return targets
    }

    /// Takes up targets of the interface that were written down.
    mutating func take(_ targets: [APITarget], removing id: String?) {
        for target in targets {
            written[target.settings.id] = target
            nextNumber = max(nextNumber, target.number + 1)
            guard !configuredIDs.contains(target.settings.id) else { continue }
            dependencies.set(target.settings.id, dependsOn: target.settings.dependsOn)
        }
        if let id {
            written[id] = nil
            dependencies.set(id, dependsOn: [])
        }
        _ = dependencies.resume()
    }

    /// Whether there is a target of this id, the automatic ones aside.
    func contains(_ id: String) -> Bool {
        configuredIDs.contains(id) || written[id] != nil || foundIDs.contains(id)
    }

    /// What new declarations may depend on.
    var declared: DeclaredTargets {
        DeclaredTargets(contains: contains, parents: dependencies.parents, hasChildren: dependencies.hasChildren)
    }

    /// Targets that depend on one, in the order of the list.
    func dependents(of id: String) -> [String] {
        let ids = Set(dependencies.children(of: id))
        guard !ids.isEmpty else { return [] }
        let own = ids.compactMap { configuredIDs.contains($0) ? nil : written[$0] }.sorted { $0.number < $1.number }
        func among(_ targets: [TargetSettings], _ known: Set<String>) -> [String] {
            ids.isDisjoint(with: known) ? [] : targets.map(\.id).filter(ids.contains)
        }
        return among(configured, configuredIDs) + own.map(\.settings.id)
            + among(found, foundIDs).filter { !configuredIDs.contains($0) && written[$0] == nil }
    }

    /// The ids of targets of the interface that do not count.
    var superseded: [String] { written.keys.filter(configuredIDs.contains).sorted() }

    mutating func setFound(_ targets: [TargetSettings]) {
        found = targets
        foundIDs = Set(targets.map(\.id))
    }
}

/// What came of a new list of targets.
package struct AppliedTargets: Sendable, Hashable {
    /// How many were added, changed, removed and left alone.
    package internal(set) var changes = TargetChanges()
    /// The ids of those that are new, in the order of the list.
    package internal(set) var added: [String] = []
    /// The ids of those with other settings.
    package internal(set) var updated: [String] = []
    /// The ids of those that are gone, sorted.
    package internal(set) var removed: [String] = []
    /// The ids of targets of the HTTP interface that rest because the configuration has one with the same id; sorted.
    package internal(set) var superseded: [String] = []
}
