// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths
import Synchronization

/// An engine whose verdicts a test writes: what it is told to tell is told on the calling thread, at once.
package final class ScriptedPathEngine: PathEngineProtocol {
    private struct State {
        var requests: [PathID: PathRequest] = [:]
        var last: [PathID: NetworkPath] = [:]
        var evaluation = NetworkPath(flags: .reachable)
        var first: NetworkPath?
        var counts = Counts()
        var interfaceObservers: Set<PathID> = []
        var interfacePaths = InterfacePaths(defaultPath: NetworkPath(flags: [], unsatisfiedReason: .noRoute))
    }

    /// How often the engine was asked for what.
    package struct Counts: Sendable, Equatable {
        /// Targets added.
        package var added = 0
        /// Targets removed.
        package var removed = 0
        /// Requests evaluated.
        package var evaluated = 0
        /// Whether the engine was closed.
        package var isClosed = false

        package init(added: Int = 0, removed: Int = 0, evaluated: Int = 0) {
            self.added = added
            self.removed = removed
            self.evaluated = evaluated
        }
    }

    private let observer: any PathEngineObserver
    private let state: Mutex<State>

    package init(observer: any PathEngineObserver, evaluation: NetworkPath = NetworkPath(flags: .reachable)) {
        self.observer = observer
        state = Mutex(State(evaluation: evaluation))
    }

    /// A hub over a scripted engine, which is made at once.
    package static func makeHub(
        evaluation: NetworkPath = NetworkPath(flags: .reachable)
    ) throws -> (hub: SharedPathEngine, engine: ScriptedPathEngine) {
        let made = Mutex<ScriptedPathEngine?>(nil)
        let hub = SharedPathEngine { _, observer in
            let engine = ScriptedPathEngine(observer: observer, evaluation: evaluation)
            made.withLock { $0 = engine }
            return engine
        }
        _ = try hub.evaluate(PathRequest(.defaultPath()))
        guard let engine = made.withLock({ $0 }) else {
            throw PathEngineError(code: .system, message: "no engine was made")
        }
        engine.state.withLock { $0.counts = Counts() }
        return (hub, engine)
    }

    /// What `evaluate` answers.
    package var evaluation: NetworkPath {
        get { state.withLock { $0.evaluation } }
        set { state.withLock { $0.evaluation = newValue } }
    }

    /// What is told of a new target before `add` returns; nil for nothing.
    package var firstVerdict: NetworkPath? {
        get { state.withLock { $0.first } }
        set { state.withLock { $0.first = newValue } }
    }

    package var counts: Counts { state.withLock { $0.counts } }

    /// What is being watched.
    package var watched: [PathRequest] { state.withLock { Array($0.requests.values) } }

    /// Tells a verdict on every watched target.
    package func emit(_ path: NetworkPath, trigger: ChangeTrigger.Kind = .route) {
        let updates = state.withLock { state in
            state.requests.keys.map { id in
                defer { state.last[id] = path }
                return PathUpdate(id: id, path: path, previous: state.last[id], trigger: ChangeTrigger(trigger))
            }
        }
        observer.pathsDidChange(updates)
    }

    /// Tells a verdict with these flags only.
    package func emit(_ flags: SCNetworkReachabilityFlags) {
        emit(NetworkPath(flags: flags))
    }

    /// Tells a new environment.
    package func emit(_ environment: NetworkEnvironment) {
        observer.environmentDidChange(environment)
    }

    /// What is told of the interfaces to a new observer, and to all when it is set.
    package var interfacePaths: InterfacePaths {
        get { state.withLock { $0.interfacePaths } }
        set {
            let ids = state.withLock { state in
                state.interfacePaths = newValue
                return Array(state.interfaceObservers)
            }
            observer.interfacePathsDidChange(newValue, for: ids)
        }
    }

    /// How many observe the interfaces.
    package var interfaceObservers: Int { state.withLock { $0.interfaceObservers.count } }

    // MARK: PathEngineProtocol

    package func add(_ requests: [(id: PathID, request: PathRequest)]) {
        let first = state.withLock { state in
            for (id, request) in requests {
                state.requests[id] = request
                state.last[id] = state.first
            }
            state.counts.added += requests.count
            return state.first
        }
        if let first {
            observer.pathsDidChange(
                requests.map { PathUpdate(id: $0.id, path: first, previous: nil, trigger: ChangeTrigger(.initial)) }
            )
        }
    }

    package func remove(_ ids: [PathID]) {
        state.withLock { state in
            for id in ids { state.requests[id] = nil }
            state.counts.removed += ids.count
        }
    }

    package func evaluate(_ requests: [PathRequest]) -> [NetworkPath] {
        state.withLock { state in
            state.counts.evaluated += requests.count
            return requests.map { _ in state.evaluation }
        }
    }

    package func watchInterfacePaths(_ id: PathID) {
        let paths = state.withLock { state in
            state.interfaceObservers.insert(id)
            return state.interfacePaths
        }
        observer.interfacePathsDidChange(paths, for: [id])
    }

    package func unwatchInterfacePaths(_ id: PathID) {
        _ = state.withLock { $0.interfaceObservers.remove(id) }
    }

    package func evaluateInterfacePaths() -> InterfacePaths? { state.withLock { $0.interfacePaths } }

    package func apply(_ options: PathEngineOptions) {}

    package func close() {
        state.withLock { $0.counts.isClosed = true }
    }
}
