// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// The engine's only observer: knows whose each ``PathID`` is and passes updates on.
final class PathUpdateRouter: PathEngineObserver {
    private struct State {
        var paths: [PathID: PathDeliveryQueue<PathUpdate>] = [:]
        var interfaces: [PathID: PathDeliveryQueue<InterfacePaths>] = [:]
        var environment = NetworkEnvironment()
        var environments: [ObjectIdentifier: PathDeliveryQueue<NetworkEnvironment>] = [:]
    }

    private let state = Mutex(State())

    var environment: NetworkEnvironment { state.withLock { $0.environment } }

    // MARK: Paths

    /// Gives a handle its recipient, before the engine knows the handle.
    func connect(_ id: PathID, to mailbox: PathDeliveryQueue<PathUpdate>) {
        state.withLock { $0.paths[id] = mailbox }
    }

    func disconnect(_ id: PathID) {
        _ = state.withLock { $0.paths.removeValue(forKey: id) }
    }

    func disconnectAll() {
        let (paths, interfaces, environments) = state.withLock { state in
            defer {
                state.paths = [:]
                state.interfaces = [:]
                state.environments = [:]
            }
            return (Array(state.paths.values), Array(state.interfaces.values), Array(state.environments.values))
        }
        for mailbox in paths { mailbox.close() }
        for mailbox in interfaces { mailbox.close() }
        for mailbox in environments { mailbox.close() }
    }

    func pathsDidChange(_ updates: [PathUpdate]) {
        let recipients = state.withLock { state in
            updates.compactMap { update -> PathDeliveryQueue<PathUpdate>? in
                guard let mailbox = state.paths[update.id] else { return nil }
                mailbox.enqueue(update)
                return mailbox
            }
        }
        for mailbox in recipients { mailbox.drain() }
    }

    // MARK: Interfaces

    /// Gives a handle its recipient, before the engine knows the handle.
    func connect(_ id: PathID, to mailbox: PathDeliveryQueue<InterfacePaths>) {
        state.withLock { $0.interfaces[id] = mailbox }
    }

    func disconnect(interfaces id: PathID) {
        _ = state.withLock { $0.interfaces.removeValue(forKey: id) }
    }

    func interfacePathsDidChange(_ paths: InterfacePaths, for ids: [PathID]) {
        let recipients = state.withLock { state in
            let recipients = ids.compactMap { state.interfaces[$0] }
            for mailbox in recipients { mailbox.enqueue(paths) }
            return recipients
        }
        for mailbox in recipients { mailbox.drain() }
    }

    // MARK: The environment

    /// Registers a recipient and delivers the present environment, on the calling thread.
    func connect(environment mailbox: PathDeliveryQueue<NetworkEnvironment>) {
        state.withLock { state in
            state.environments[ObjectIdentifier(mailbox)] = mailbox
            mailbox.enqueue(state.environment)
        }
        mailbox.drain()
    }

    func disconnect(environment mailbox: PathDeliveryQueue<NetworkEnvironment>) {
        _ = state.withLock { $0.environments.removeValue(forKey: ObjectIdentifier(mailbox)) }
    }

    func environmentDidChange(_ environment: NetworkEnvironment) {
        let recipients = state.withLock { state in
            state.environment = environment
            for mailbox in state.environments.values { mailbox.enqueue(environment) }
            return Array(state.environments.values)
        }
        for mailbox in recipients { mailbox.drain() }
    }
}
