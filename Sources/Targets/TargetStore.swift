// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Configuration
import History
package import LinuxIO
package import Monitoring
import NetworkPaths
package import Probing
import Synchronization

/// Stores the declared targets and decides which one is in force if several have one id: the configuration's over the
/// API's, that over one that a fleet assigned to this node, and that over a discovered one. Overridden targets are kept, and
/// return when the overriding one is removed.
///
/// Only this class changes the registry's list. Changes take turns, and a turn lasts while the file is written and the
/// registry is updated: never call from the engine's thread. The state's lock is only held for memory access, so no
/// reader waits for a disk. A change costs what it changes, however many targets there are.
package final class TargetStore: Sendable {
    /// The declared targets.
    struct State: Sendable {
        var configured = TargetList()
        var written: [String: APITarget] = [:]
        /// Those that the fleet assigned to this node.
        var assigned = TargetList()
        var found = TargetList()
        /// The dependencies between the targets in force.
        var dependencies = DependencyGraph()
        var nextNumber: UInt64 = 1
        /// A configuration was applied.
        var isAdopted = false
        var maximum = Int.max
        var isAutomatic = false
        var nameEvaluation = PathRequest.NameEvaluation.optimistic
        /// The targets that API clients may declare; nil for all.
        var policy: TargetPolicy?
        /// Why the state file must not be overwritten: its contents could neither be read nor kept.
        var obstacle: String?
    }

    let registry: Registry
    let keeping: Keeping
    private let log: @Sendable (LogMessage) -> Void
    /// Serialises changes; holds the log messages until the turn is over.
    private let turn = Mutex<[LogMessage]>([])
    let state: Mutex<State>
    private let storageStatus: Mutex<TargetStorage>
    /// The table while it is open; changed only in a turn.
    let store = Mutex<DeclarationStore?>(nil)
    /// Keep other processes from writing the state file.
    private let locks: [FileLock]

    /// Where API targets are stored across restarts.
    package enum Place: Sendable {
        /// Nowhere, with the reason for people.
        case memory(reason: String)
        /// In a JSON file, which is rewritten for each change.
        case file(String)
        /// In a table, in which a change writes only its differences; `importing` is a JSON file whose targets are
        /// imported once.
        case table(String, importing: String?)
    }

    /// Restores the stored targets; none is monitored yet.
    ///
    /// - Parameters:
    ///   - registry: receives the targets.
    ///   - place: where API targets are stored.
    ///   - locks: the file locks, held as long as this object lives; empty where no other process can write.
    ///   - policy: which targets API clients may declare until a configuration is applied, which then decides; nil for
    ///     all.
    ///   - log: receives messages for the operator; called outside of all locks.
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

    /// Like ``Place``, with the hooks of tests for the steps of a write.
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

    /// Makes a change while no other is made, and writes log messages afterwards.
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

    /// Applies the targets of a configuration, in addition to API targets and discovered ones.
    ///
    /// - Parameter found: discovered targets, if they changed too.
    @discardableResult
    package func apply(_ configuration: ReachdConfiguration, found: [TargetSettings]? = nil) -> AppliedTargets {
        inTurn { notes in
            let (old, new, superseded) = state.withLock { state in
                let isFirst = !state.isAdopted
                // Restored targets are not in force before.
                let old = state.isAdopted ? state.effective : []
                state.isAdopted = true
                let superseded = Set(state.superseded)
                state.configured = TargetList(configuration.targets)
                state.maximum = configuration.maximumTargets
                state.isAutomatic = configuration.watchesAutomatically
                if let found { state.found = TargetList(found) }
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
                let words = "API target \(id) is overridden by the configuration"
                notes.append(LogMessage(.warning, words))
            }
            return adopted
        }
    }

    /// Applies the targets of all discovery files.
    @discardableResult
    package func find(_ targets: [TargetSettings]) -> AppliedTargets {
        replace(\.found, with: targets)
    }

    /// Applies the targets that the fleet assigned to this node.
    ///
    /// - Parameters:
    ///   - targets: all of them.
    ///   - states: what their watchers before found of those that are new here, by id.
    @discardableResult
    package func assign(_ targets: [TargetSettings], resuming states: [String: TargetState] = [:]) -> AppliedTargets {
        replace(\.assigned, with: targets, resuming: states)
    }

    private func replace(
        _ list: any WritableKeyPath<State, TargetList> & Sendable,
        with targets: [TargetSettings],
        resuming states: [String: TargetState] = [:]
    ) -> AppliedTargets {
        inTurn { notes in
            let (old, new) = state.withLock { state in
                let old = state.effective
                state[keyPath: list] = TargetList(targets)
                return (old, state.linked())
            }
            return apply(new, from: old, resuming: states, &notes)
        }
    }

    /// How many more targets may be discovered.
    package var roomForFound: Int {
        state.withLock { max(0, $0.maximum - $0.total + $0.found.targets.count) }
    }

    /// The number of targets in force, without the automatic ones.
    package var count: Int { state.withLock { $0.effective.count } }

    /// Where API targets are stored, by the result of the last write. Any thread; never waits for a disk.
    package var storage: TargetStorage { storageStatus.withLock { $0 } }

    /// The targets that API clients may declare; nil for all. Any thread.
    package var policy: TargetPolicy? { state.withLock { $0.policy } }

    private var isPersistent: Bool {
        if case .memory = keeping { false } else { true }
    }

    func report(_ storage: TargetStorage) { storageStatus.withLock { $0 = storage } }

    // MARK: In a turn

    private func apply(
        _ new: [TargetSettings],
        from old: [TargetSettings],
        resuming states: [String: TargetState] = [:],
        _ notes: inout [LogMessage]
    ) -> AppliedTargets {
        let (isAutomatic, maximum, superseded) = state.withLock { ($0.isAutomatic, $0.maximum, $0.superseded) }
        var adopted = AppliedTargets()
        adopted.changes = registry.apply(targets: new, automatic: isAutomatic, resuming: states)
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
            let words = "there are \(new.count) targets, more than limits.targets (\(maximum)); no more are accepted"
            notes.append(LogMessage(.warning, words))
        }
        return adopted
    }

    /// Logs which API targets are no longer probed, or were declared under another policy before the start. They
    /// remain, and are probed again when the policy allows it.
    private static func denied(_ targets: some Collection<APITarget>, _ policy: TargetPolicy) -> [LogMessage] {
        let refused = targets.compactMap { target in
            policy.refusal(of: target.settings).map { (id: target.settings.id, detail: $0.detail) }
        }
        guard !refused.isEmpty else { return [] }
        let words =
            "access.targets denies \(refused.count) API targets; their probes fail with target_denied"
        return [LogMessage(.warning, words)]
            + refused.sorted { $0.id < $1.id }.prefix(100).map { id, detail in
                LogMessage(.warning, "API target \(id) is not probed: \(detail)")
            }
    }

    /// Reads the API targets again with other defaults.
    private func reread(_ state: inout State) {
        for (id, target) in state.written {
            let reader = reader(state, policy: nil, others: nil)
            var settings = target.settings
            guard let node = try? YAMLNode(json: target.declaration),
                // This reading ignores dependencies.
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
    /// The number of declared targets, including overridden ones.
    var total: Int { configured.targets.count + written.count + assigned.targets.count + found.targets.count }

    /// The API targets in the order of their creation.
    var writtenInOrder: [APITarget] { written.values.sorted { $0.number < $1.number } }

    /// The targets in force, each id once.
    var effective: [TargetSettings] {
        configured.targets + writtenInOrder.lazy.map(\.settings).filter { !configured.contains($0.id) }
            + assigned.targets.filter(isAssignedInForce) + found.targets.filter(isFoundInForce)
    }

    private func isAssignedInForce(_ target: TargetSettings) -> Bool {
        !configured.contains(target.id) && written[target.id] == nil
    }

    private func isFoundInForce(_ target: TargetSettings) -> Bool {
        isAssignedInForce(target) && !assigned.contains(target.id)
    }

    /// The targets in force, after a change of a whole list.
    mutating func linked() -> [TargetSettings] {
        let targets = effective
        dependencies = DependencyGraph()
        for target in targets { dependencies.set(target.id, dependsOn: target.dependsOn) }
        _ = dependencies.resume()
        return targets
    }

    /// Applies stored API targets.
    mutating func take(_ targets: [APITarget], removing id: String?) {
        for target in targets {
            written[target.settings.id] = target
            nextNumber = max(nextNumber, target.number + 1)
            guard !configured.contains(target.settings.id) else { continue }
            dependencies.set(target.settings.id, dependsOn: target.settings.dependsOn)
        }
        if let id {
            written[id] = nil
            dependencies.set(id, dependsOn: [])
        }
        _ = dependencies.resume()
    }

    /// Whether a target has this id, except the automatic ones.
    func contains(_ id: String) -> Bool {
        configured.contains(id) || written[id] != nil || assigned.contains(id) || found.contains(id)
    }

    /// The targets that new declarations may depend on.
    var declared: DeclaredTargets {
        DeclaredTargets(contains: contains, parents: dependencies.parents, hasChildren: dependencies.hasChildren)
    }

    /// The targets that depend on one, in the order of the list.
    func dependents(of id: String) -> [String] {
        let ids = Set(dependencies.children(of: id))
        guard !ids.isEmpty else { return [] }
        let own = ids.compactMap { configured.contains($0) ? nil : written[$0] }.sorted { $0.number < $1.number }
        return configured.members(among: ids).map(\.id) + own.map(\.settings.id)
            + assigned.members(among: ids).filter(isAssignedInForce).map(\.id)
            + found.members(among: ids).filter(isFoundInForce).map(\.id)
    }

    /// The ids of overridden API targets.
    var superseded: [String] { written.keys.filter(configured.contains).sorted() }
}

/// Targets that are declared as a whole list.
struct TargetList: Sendable {
    let targets: [TargetSettings]
    private let ids: Set<String>

    init(_ targets: [TargetSettings] = []) {
        self.targets = targets
        ids = Set(targets.map(\.id))
    }

    func contains(_ id: String) -> Bool { ids.contains(id) }

    /// The targets with these ids, in the order of the list.
    func members(among ids: Set<String>) -> [TargetSettings] {
        self.ids.isDisjoint(with: ids) ? [] : targets.filter { ids.contains($0.id) }
    }
}

/// The result of applying a list of targets.
package struct AppliedTargets: Sendable, Hashable {
    /// The number of added, changed, removed and unchanged targets.
    package internal(set) var changes = TargetChanges()
    /// The ids of added targets, in the order of the list.
    package internal(set) var added: [String] = []
    /// The ids of changed targets.
    package internal(set) var updated: [String] = []
    /// The ids of removed targets, sorted.
    package internal(set) var removed: [String] = []
    /// The ids of API targets that the configuration overrides with the same id; sorted.
    package internal(set) var superseded: [String] = []
}
