// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// Watches the path to one target, or to the network as such: the typed, asynchronous face of reachability.
///
/// ```swift
/// let monitor = try PathMonitor()
/// for await path in monitor.updates {
///     print(path.status, path.interface?.name ?? "-", path.unsatisfiedReason?.rawValue ?? "")
/// }
/// ```
///
/// The monitor watches from its creation on. It ends with ``cancel()``, or when neither it nor a sequence of its
/// updates is referred to any more. All members may be used from any thread.
public final class PathMonitor: Sendable {
    private let hub: PathHub
    private let state: PathMonitorState
    private let subscriptions: [PathSubscription]

    /// What is watched.
    public let request: PathRequest

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - request: The target; the default path of either family unless given.
    ///   - hub: The engine to stand on; the process's own unless given.
    /// - Throws: ``PathEngineError`` when the kernel refuses netlink or its events.
    public init(
        _ request: PathRequest = PathRequest(.defaultPath()),
        hub: PathHub = .shared
    ) throws(PathEngineError) {
        self.hub = hub
        self.request = request
        let state = PathMonitorState(target: request.target)
        self.state = state
        // The environment first: the first path is then told whole.
        let environment = try hub.observeEnvironment { state.setEnvironment($0) }
        let path = try hub.subscribe(to: request) { state.setVerdict($0.path) }
        subscriptions = [path, environment]
    }

    /// Begins to watch a target.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - hub: The engine to stand on; the process's own unless given.
    /// - Throws: ``PathEngineError`` when the kernel refuses netlink or its events.
    public convenience init(_ target: PathTarget, hub: PathHub = .shared) throws(PathEngineError) {
        try self.init(PathRequest(target), hub: hub)
    }

    deinit {
        cancel()
    }

    /// The path as last seen. Before the first verdict arrived the kernel is asked on the spot, a name being judged as
    /// the default path is (R52); after ``cancel()`` it stays as it was.
    public var currentPath: Path {
        if let path = state.latest { return path }
        do {
            return state.path(of: try hub.evaluate(request))
        } catch {
            return state.path(of: NetworkPath(flags: [], unsatisfiedReason: .kernelRefused))
        }
    }

    /// The path now and whenever it changes, for as many readers as there are iterations.
    ///
    /// Each iteration begins with the path as last seen, at once if there is one, and then takes every change. The
    /// newest wins: a reader that is slower than the changes finds only the latest; a gap in ``Path/sequence`` tells
    /// that it missed some. The sequence ends with ``cancel()`` or with its task.
    public var updates: Updates { updates(keepingNewest: 1) }

    /// As ``updates``, with room for more changes that a slow reader has not taken yet.
    ///
    /// - Parameter count: How many are kept, at least 1; the oldest is dropped first.
    public func updates(keepingNewest count: Int) -> Updates {
        Updates(monitor: self, buffer: max(count, 1))
    }

    /// Ends the watch; all sequences end after what they still hold. A second call does nothing.
    public func cancel() {
        for subscription in subscriptions { subscription.cancel() }
        state.finish()
    }

    func makeStream(buffer: Int) -> AsyncStream<Path> {
        state.makeStream(buffer: buffer)
    }
}
