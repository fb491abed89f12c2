// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// One ``PathEngine`` for many subscribers: what ``PathMonitor`` and `SCNetworkReachability` stand on.
///
/// The engine starts when it is needed first and runs until ``close()`` or until the last reference to the hub and to
/// its subscriptions is gone; ``shared`` therefore keeps it for the life of the process. An engine that could not start
/// is reported to the caller, and retried the next time. All methods may be called from any thread.
///
/// A library user needs ``shared`` only, and of that ``apply(_:)`` to declare interface types. An own hub watches
/// another network namespace, through `prologue`.
public final class SharedPathEngine: Sendable {
    package typealias EngineMaker =
        @Sendable (PathEngineOptions, any PathEngineObserver) throws(PathEngineError) -> any PathEngineProtocol

    private struct State {
        var options: PathEngineOptions
        var engine: (any PathEngineProtocol)?
        var isClosed = false
    }

    /// The process's own hub, in the network namespace of the thread that needs it first.
    public static let shared = SharedPathEngine()

    private let makeEngine: EngineMaker
    private let switchboard = PathUpdateRouter()
    private let state: Mutex<State>

    /// Creates a hub; nothing is started yet.
    ///
    /// - Parameters:
    ///   - options: How the engine sees the machine.
    ///   - prologue: Runs first on the engine's thread; whatever namespace it enters is the one that is watched.
    public convenience init(
        options: PathEngineOptions = PathEngineOptions(),
        prologue: @escaping @Sendable () -> Void = {}
    ) {
        self.init(options: options) { options, observer throws(PathEngineError) in
            try PathEngine(options: options, observer: observer, prologue: prologue)
        }
    }

    /// Creates a hub over an engine of the caller's making.
    package init(options: PathEngineOptions = PathEngineOptions(), makeEngine: @escaping EngineMaker) {
        self.makeEngine = makeEngine
        state = Mutex(State(options: options))
    }

    deinit {
        close()
    }

    // MARK: Observing

    /// Watches one target.
    ///
    /// - Parameters:
    ///   - request: The target. Equal requests are watched separately: each subscriber gets a first verdict of its own.
    ///   - handler: Gets the first verdict and every change, one after the other in order, on the engine's thread; the
    ///     first verdict possibly on the calling thread, before this returns. It must not block.
    /// - Returns: The observation; letting go of it ends it.
    /// - Throws: ``PathEngineError`` when the engine could not start or the hub is closed.
    public func subscribe(
        to request: PathRequest,
        handler: @escaping @Sendable (PathUpdate) -> Void
    ) throws(PathEngineError) -> PathSubscription {
        let engine = try engine()
        let mailbox = PathDeliveryQueue(handler: handler)
        let id = PathID.next()
        switchboard.connect(id, to: mailbox)
        engine.add([(id: id, request: request)])
        return PathSubscription { [self] in
            mailbox.close()
            switchboard.disconnect(id)
            engine.remove([id])
        }
    }

    /// Watches the resolvers, their reachability and the default gateways.
    ///
    /// - Parameter handler: Gets the present state before this returns, on the calling thread, and every change on the
    ///   engine's thread. It must not block.
    /// - Returns: The observation; releasing it ends it. Ending it is not a barrier: a call that runs on the engine's
    ///   thread may end later.
    /// - Throws: ``PathEngineError`` when the engine could not start or the hub is closed.
    public func observeEnvironment(
        handler: @escaping @Sendable (NetworkEnvironment) -> Void
    ) throws(PathEngineError) -> PathSubscription {
        _ = try engine()
        let mailbox = PathDeliveryQueue(handler: handler)
        switchboard.connect(environment: mailbox)
        return PathSubscription { [self] in
            mailbox.close()
            switchboard.disconnect(environment: mailbox)
        }
    }

    /// Watches the default path and the interfaces that have one.
    ///
    /// - Parameter handler: Gets the state now and every change, one after the other in order, on the engine's thread; the first
    ///   possibly on the calling thread, before this returns. It must not block.
    /// - Returns: The observation; releasing it ends it.
    /// - Throws: ``PathEngineError`` when the engine could not start or the hub is closed.
    public func observeInterfacePaths(
        handler: @escaping @Sendable (InterfacePaths) -> Void
    ) throws(PathEngineError) -> PathSubscription {
        let engine = try engine()
        let mailbox = PathDeliveryQueue(handler: handler)
        let id = PathID.next()
        switchboard.connect(id, to: mailbox)
        engine.watchInterfacePaths(id)
        return PathSubscription { [self] in
            mailbox.close()
            switchboard.disconnect(interfaces: id)
            engine.unwatchInterfacePaths(id)
        }
    }

    // MARK: Requests

    /// Asks the kernel about the default path and the interfaces that have one now.
    ///
    /// - Throws: ``PathEngineError`` when the engine could not start or the hub is closed.
    public func evaluateInterfacePaths() throws(PathEngineError) -> InterfacePaths {
        guard let paths = try engine().evaluateInterfacePaths() else { throw .hubClosed }
        return paths
    }

    /// Asks the kernel about a target now, without DNS traffic: a name is judged as the default path is (R52).
    ///
    /// - Throws: ``PathEngineError`` when the engine could not start or the hub is closed.
    public func evaluate(_ request: PathRequest) throws(PathEngineError) -> NetworkPath {
        guard let path = try engine().evaluate([request]).first else { throw .hubClosed }
        return path
    }

    /// The resolvers, their reachability and the default gateways as last seen; empty before the engine runs.
    public var environment: NetworkEnvironment { switchboard.environment }

    // MARK: The engine

    /// Takes up new rules; everything that is watched is judged again.
    public func apply(_ options: PathEngineOptions) {
        let engine = state.withLock { state in
            state.options = options
            return state.engine
        }
        engine?.apply(options)
    }

    /// Ends the engine and all observations for good; nothing is delivered after it returns. A second call does
    /// nothing.
    public func close() {
        let engine = state.withLock { state in
            defer { state.engine = nil }
            state.isClosed = true
            return state.engine
        }
        switchboard.disconnectAll()
        engine?.close()
    }

    private func engine() throws(PathEngineError) -> any PathEngineProtocol {
        // The lock is held while the engine starts, so that there is only ever one. No callback can run meanwhile:
        // without an engine there is no observation.
        let result = state.withLock { state -> Result<any PathEngineProtocol, PathEngineError> in
            if state.isClosed { return .failure(.hubClosed) }
            if let engine = state.engine { return .success(engine) }
            let options = state.options
            return Result { () throws(PathEngineError) in
                let engine = try makeEngine(options, switchboard)
                state.engine = engine
                return engine
            }
        }
        return try result.get()
    }
}

extension PathEngineError {
    fileprivate static var hubClosed: Self { Self(code: .system, message: "the path engine is closed") }
}

/// Keeps an observation alive; letting go of it ends the observation.
public final class PathSubscription: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    init(end: @escaping @Sendable () -> Void) {
        self.end = Mutex(end)
    }

    deinit {
        cancel()
    }

    /// Ends the observation. A second call does nothing.
    ///
    /// A barrier: when it returns, no call to the handler runs on another thread and none follows. From inside the
    /// handler it returns at once, and the running call is the last. Must not be called while holding a lock that the
    /// handler takes.
    public func cancel() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
