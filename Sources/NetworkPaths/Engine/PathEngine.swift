// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// Watches the paths to any number of targets and notifies an observer of changes, driven by the kernel.
///
/// The kernel decides every route; the engine keeps no copy of its tables. While nothing happens it makes no system
/// call. One thread of its own does all the work and calls the observer; the methods here may be called from any
/// thread. Source: linux-paths sections 4 to 8, contract R40–R70.
public final class PathEngine: Sendable {
    private let loop: EventLoop
    private let shared = SharedStatistics()
    private let core: ThreadConfined<Core>

    /// Lets the engine's core go when the engine is closed.
    private final class Core {
        var value: EngineCore?

        init(_ value: EngineCore) { self.value = value }
    }

    /// Starts an engine in a network namespace.
    ///
    /// - Parameters:
    ///   - options: How it sees the machine.
    ///   - observer: Gets all changes, on the engine's thread; kept until ``close()``.
    ///   - prologue: Runs first on the engine's thread; whatever namespace it enters is the one that is watched.
    /// - Throws: ``PathEngineError`` when the kernel refuses netlink or its events.
    public init(
        options: PathEngineOptions = PathEngineOptions(),
        observer: any PathEngineObserver,
        prologue: @escaping @Sendable () -> Void = {}
    ) throws(PathEngineError) {
        let loop: EventLoop
        do {
            loop = try EventLoop(name: "reachd-paths", prologue: prologue)
        } catch {
            throw PathEngineError.system(error)
        }
        let shared = shared
        let made = loop.executeAndWait { () -> Result<ThreadConfined<Core>, PathEngineError> in
            Result { () throws(PathEngineError) in
                let core = try EngineCore(loop: loop, options: options, observer: observer, statistics: shared)
                try core.startResolving()
                return ThreadConfined(Core(core), to: loop)
            }
        }
        self.loop = loop
        switch made {
        case .success(let core): self.core = core
        case .failure(let error):
            loop.close()
            throw error
        case nil: throw PathEngineError(code: .system, message: "the engine's thread ended before it began")
        }
    }

    deinit {
        close()
    }

    /// Begins to watch targets; the observer gets the first verdict of each, with the trigger `initial`.
    ///
    /// - Returns: A handle for each request, in order. The first verdict may come before this returns; who
    ///   must know by then whose it is makes the handles, and hands them over with the requests.
    public func add(_ requests: [PathRequest]) -> [PathID] {
        let numbered = requests.map { (id: PathID.next(), request: $0) }
        add(numbered)
        return numbered.map(\.id)
    }

    /// Begins to watch targets under handles of the caller's making; the observer gets the first verdict of each, with
    /// the trigger `initial`.
    ///
    /// - Parameter requests: What to watch, each under a handle from ``PathID/next()``.
    public func add(_ requests: [(id: PathID, request: PathRequest)]) {
        let normalized = requests.map { id, request in
            var request = request
            request.target = request.target.normalized
            return (id: id, request: request)
        }
        let core = core
        loop.execute { core.value.value?.add(normalized) }
    }

    /// Ends the watch on targets. A barrier: after it returns no change of them is delivered, except that a call from inside
    /// the observer's callback does not shorten the batch at hand.
    public func remove(_ ids: [PathID]) {
        let core = core
        loop.executeAndWait { core.value.value?.remove(ids) }
    }

    /// Asks the kernel about targets now, without watching them and without any DNS traffic: a name is judged as the
    /// default path is (R52).
    ///
    /// - Returns: A path for each request, in order; empty after ``close()``.
    public func evaluate(_ requests: [PathRequest]) -> [NetworkPath] {
        let normalized = requests.map { request in
            var request = request
            request.target = request.target.normalized
            return request
        }
        let core = core
        return loop.executeAndWait { core.value.value?.evaluate(normalized) ?? [] } ?? []
    }

    // MARK: Interfaces

    /// Begins to watch the default path and the interfaces that have one; the observer gets them as they are, and each change.
    ///
    /// - Parameter id: A handle from ``PathID/next()``, which no target has.
    public func watchInterfacePaths(_ id: PathID) {
        let core = core
        loop.execute { core.value.value?.watchInterfacePaths(id) }
    }

    /// Ends that watch. A barrier as ``remove(_:)`` is.
    public func unwatchInterfacePaths(_ id: PathID) {
        let core = core
        loop.executeAndWait { core.value.value?.unwatchInterfacePaths(id) }
    }

    /// Asks the kernel about the interfaces now, without watching them; nil after ``close()``.
    public func evaluateInterfacePaths() -> InterfacePaths? {
        let core = core
        return loop.executeAndWait { core.value.value?.evaluateInterfacePaths() } ?? nil
    }

    /// Takes up new rules; every target is judged again, with the trigger `settings`. The receive buffer and the
    /// resolver's files stay as they were.
    public func apply(_ options: PathEngineOptions) {
        let core = core
        loop.execute { core.value.value?.apply(options) }
    }

    /// What the engine did so far.
    public var statistics: PathEngineStatistics { shared.statistics }

    /// The resolvers, their reachability and the default gateways, as last delivered to the observer.
    public var environment: NetworkEnvironment { shared.environment }

    /// Calls back on the engine's thread when it has done the work that it had, as a sign that it takes any; never when the
    /// engine is closed. Any thread.
    package func ping(_ completion: @escaping @Sendable () -> Void) {
        loop.execute(completion)
    }

    /// Ends the engine; nothing is delivered after it returns, except from inside a callback. A second call does nothing.
    public func close() {
        let core = core
        loop.executeAndWait {
            core.value.value?.close()
            core.value.value = nil
        }
        loop.close()
    }
}

/// Receives what the engine finds, on the engine's own thread, in the order in which it was found.
///
/// An observer must not block: while it runs, no other target is judged.
public protocol PathEngineObserver: AnyObject, Sendable {
    /// All changes of one pass, each target at most once; the first verdict of a new target included.
    func pathsDidChange(_ updates: [PathUpdate])
    /// The resolvers, their reachability, the default gateways or the families with a default path changed.
    func environmentDidChange(_ environment: NetworkEnvironment)
    /// The default path or the interfaces that have one changed, or their watch began.
    ///
    /// - Parameters:
    ///   - paths: As they are now.
    ///   - ids: The handles of ``PathEngine/watchInterfacePaths(_:)`` that this concerns.
    func interfacePathsDidChange(_ paths: InterfacePaths, for ids: [PathID])
}

extension PathEngineObserver {
    /// Does nothing: for observers that watch targets only.
    public func interfacePathsDidChange(_ paths: InterfacePaths, for ids: [PathID]) {}
}

/// What a ``SharedPathEngine`` needs of an engine, so that tests can put a scripted one in its place.
package protocol PathEngineProtocol: Sendable {
    /// See ``PathEngine/add(_:)``.
    func add(_ requests: [(id: PathID, request: PathRequest)])
    /// See ``PathEngine/remove(_:)``.
    func remove(_ ids: [PathID])
    /// See ``PathEngine/evaluate(_:)``.
    func evaluate(_ requests: [PathRequest]) -> [NetworkPath]
    /// See ``PathEngine/watchInterfacePaths(_:)``.
    func watchInterfacePaths(_ id: PathID)
    /// See ``PathEngine/unwatchInterfacePaths(_:)``.
    func unwatchInterfacePaths(_ id: PathID)
    /// See ``PathEngine/evaluateInterfacePaths()``.
    func evaluateInterfacePaths() -> InterfacePaths?
    /// See ``PathEngine/apply(_:)``.
    func apply(_ options: PathEngineOptions)
    /// See ``PathEngine/close()``.
    func close()
}

extension PathEngine: PathEngineProtocol {}
