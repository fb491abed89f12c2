// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Synchronization

extension Registry {
    /// Begins to judge through a path engine: the machine's own network and every target declared so far.
    ///
    /// Called once; targets declared later are added to the same engine. From any thread but the engine's.
    package func connect(to source: any PathSource) {
        declarations.withLock { declarations in
            declarations.source = source
            let id = PathID.next()
            change { $0.networkID = id }
            source.add([(id: id, request: PathRequest(.defaultPath()))])
            attachTargets(to: source)
        }
        notifyListeners()
        followEnvironment()
    }

    /// Lets go of the engine, so that both can end.
    package func disconnect() {
        declarations.withLock { $0.source = nil }
    }

    /// Applies a new list of targets, of all declarations.
    ///
    /// Targets whose settings are equal are left alone: same state, no event. Others get a `target` event each.
    /// Of several entries with one id the first counts. From any thread but the engine's.
    ///
    /// - Parameters:
    ///   - targets: the whole list; targets of an earlier list that it does not name are removed.
    ///   - automatic: whether to watch what every machine has, beside the list: the default paths, the default
    ///     gateways, the resolvers.
    ///   - states: what other observers of targets that are new here found by their results, by id; see ``HealthStateMachine``.
    @discardableResult
    package func apply(
        targets: [TargetSettings],
        automatic: Bool = false,
        resuming states: [String: TargetState] = [:]
    ) -> TargetChanges {
        let changes = declarations.withLock { declarations in
            declarations.isAutomatic = automatic
            var list = targets
            if automatic { list += automaticTargets() }
            return reconcile(list, replacing: Self.allOrigins, resuming: states, declarations: &declarations)
        }
        let now = clock.now()
        change { state in
            // Targets of an earlier run's incidents that are not declared any more.
            if !state.isDeclared { state.reconcileIncidents(at: now) }
            state.isDeclared = true
            state.settleReadiness()
        }
        notifyListeners()
        followEnvironment()
        return changes
    }

    /// Changes single targets of the interface and leaves all others alone.
    ///
    /// Costs what the changes cost, and not what there is. From any thread but the engine's.
    ///
    /// - Parameters:
    ///   - targets: each is added, or replaces the one with its id; targets that are declared elsewhere stay.
    ///   - ids: the targets to remove; targets that are declared elsewhere stay.
    @discardableResult
    package func edit(_ targets: [TargetSettings], removing ids: [String] = []) -> TargetChanges {
        let changes = declarations.withLock { declarations in
            edit(targets, removing: ids, declarations: &declarations)
        }
        notifyListeners()
        followEnvironment()
        return changes
    }

    private func edit(
        _ targets: [TargetSettings],
        removing ids: [String],
        declarations: inout Declarations
    ) -> TargetChanges {
        declarations.mark &+= 1
        let mark = declarations.mark
        var changes = TargetChanges()
        var obsolete: [PathID] = []
        for slice in stride(from: 0, to: ids.count, by: Self.sliceLength).map({ ids[$0...].prefix(Self.sliceLength) }) {
            let now = clock.now()
            let removed = change { state -> (ids: [PathID], count: Int) in
                var gone: (ids: [PathID], count: Int) = ([], 0)
                for id in slice {
                    guard let position = state.table.position(id: id),
                        state.table.places[position].record?.target?.settings.origin == .api
                    else { continue }
                    if let path = state.removeTarget(at: position, at: now) { gone.ids.append(path) }
                    gone.count += 1
                }
                return gone
            }
            obsolete += removed.ids
            changes.removed += removed.count
        }
        change { $0.table.compact() }
        declare(targets, mark: mark, replacing: [.api], changes: &changes, obsolete: &obsolete)
        linkParents()
        if let source = declarations.source {
            if !obsolete.isEmpty { source.remove(obsolete) }
            attach(targets.map(\.id), to: source)
        }
        return changes
    }

    /// Records that the configuration was loaded again, or refused.
    package func announce(_ configuration: ConfigurationChange) {
        let now = clock.now()
        change { $0.log.append(.config(configuration), at: now) }
        notifyListeners()
    }

    /// Lets the automatic targets follow the environment, unless another thread changes the list right now: that
    /// one comes here after it has opened the lock.
    func followEnvironment() {
        repeat {
            let isDone: Void? = declarations.withLockIfAvailable { declarations in
                guard state.withLock({ $0.isEnvironmentNew }) else { return }
                let targets = automaticTargets()
                guard declarations.isAutomatic else { return }
                _ = reconcile(targets, replacing: [.auto], declarations: &declarations)
            }
            guard isDone != nil else { return }
            notifyListeners()
        } while state.withLock { $0.isEnvironmentNew }
    }

    private static let allOrigins = Set(TargetSettings.Origin.allCases)

    /// What the environment asks for, which is followed with that.
    private func automaticTargets() -> [TargetSettings] {
        state.withLock { state in
            state.isEnvironmentNew = false
            return state.automaticTargets.settings
        }
    }

    private func reconcile(
        _ list: [TargetSettings],
        replacing origins: Set<TargetSettings.Origin>,
        resuming states: [String: TargetState] = [:],
        declarations: inout Declarations
    ) -> TargetChanges {
        declarations.mark &+= 1
        let mark = declarations.mark
        var changes = TargetChanges()
        var obsolete: [PathID] = []
        change { $0.table.reserve(list.count - $0.table.count) }
        declare(
            list,
            mark: mark,
            replacing: origins,
            resuming: states,
            changes: &changes,
            obsolete: &obsolete
        )
        removeUnmarked(mark, origins: origins, changes: &changes, obsolete: &obsolete)
        linkParents()
        if let source = declarations.source {
            if !obsolete.isEmpty { source.remove(obsolete) }
            attachTargets(to: source)
        }
        return changes
    }

    /// Puts targets into the table, some at a time, so that readers do not wait for all of them.
    private func declare(
        _ targets: [TargetSettings],
        mark: UInt32,
        replacing origins: Set<TargetSettings.Origin>,
        resuming states: [String: TargetState] = [:],
        changes: inout TargetChanges,
        obsolete: inout [PathID]
    ) {
        for start in stride(from: 0, to: targets.count, by: Self.sliceLength) {
            let now = clock.now()
            let outcomes = change { state in
                targets[start...].prefix(Self.sliceLength).map {
                    state.declare($0, mark: mark, replacing: origins, resuming: states[$0.id], at: now)
                }
            }
            for outcome in outcomes { changes.count(outcome, obsolete: &obsolete) }
            if start + Self.sliceLength < targets.count { pauseDeclaring() }
        }
    }

    private func removeUnmarked(
        _ mark: UInt32,
        origins: Set<TargetSettings.Origin>,
        changes: inout TargetChanges,
        obsolete: inout [PathID]
    ) {
        var next: UInt64? = 0
        while let ordinal = next {
            let now = clock.now()
            let slice = change { state -> (ids: [PathID], count: Int, next: UInt64?) in
                let first = state.table.firstPosition(from: ordinal)
                let end = min(first + Self.sliceLength, state.table.places.count)
                var ids: [PathID] = []
                var count = 0
                for position in first..<end where state.table.places[position].mark != mark {
                    guard let target = state.table.places[position].record?.target,
                        origins.contains(target.settings.origin)
                    else { continue }
                    if let id = state.removeTarget(at: position, at: now) { ids.append(id) }
                    count += 1
                }
                return (ids, count, end < state.table.places.count ? state.table.places[end].ordinal : nil)
            }
            obsolete += slice.ids
            changes.removed += slice.count
            next = slice.next
            if slice.count > Self.sliceLength / 2, next != nil { pauseDeclaring() }
        }
        change { $0.table.compact() }
    }

    /// Hands every target that has no handle yet to the engine.
    private func attachTargets(to source: any PathSource) {
        var next: UInt64? = 0
        while next != nil {
            var requests: [(id: PathID, request: PathRequest)] = []
            while let ordinal = next, requests.count < Self.additionLength {
                let slice = change { state -> (requests: [(id: PathID, request: PathRequest)], next: UInt64?) in
                    let first = state.table.firstPosition(from: ordinal)
                    let end = min(first + Self.sliceLength, state.table.places.count)
                    let requests = state.makeHandles(at: first..<end)
                    return (requests, end < state.table.places.count ? state.table.places[end].ordinal : nil)
                }
                requests += slice.requests
                next = slice.next
            }
            guard !requests.isEmpty else { return }
            source.add(requests)
            if next != nil { pauseDeclaring() }
        }
    }

    /// Hands those of some targets that have no handle yet to the engine.
    private func attach(_ ids: [String], to source: any PathSource) {
        for start in stride(from: 0, to: ids.count, by: Self.sliceLength) {
            let slice = ids[start...].prefix(Self.sliceLength)
            let requests = change { $0.makeHandles(at: slice.compactMap($0.table.position(id:)).sorted()) }
            if !requests.isEmpty { source.add(requests) }
            if start + slice.count < ids.count { pauseDeclaring() }
        }
    }

    /// Waits for followers of the log, where a list of targets is long.
    func pauseDeclaring() {
        guard let pause = listeners.withLock({ $0.declaringPause }) else { return }
        for listener in listeners.withLock({ $0.changes }) { listener() }
        pause()
    }
}

extension TargetChanges {
    fileprivate mutating func count(_ outcome: RegistryState.Declaration, obsolete: inout [PathID]) {
        switch outcome {
        case .added: added += 1
        case .unchanged: unchanged += 1
        case .duplicate: break
        case .updated(let id):
            updated += 1
            if let id { obsolete.append(id) }
        }
    }
}
