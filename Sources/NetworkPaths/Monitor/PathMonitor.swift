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
    private let hub: SharedPathEngine
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
        hub: SharedPathEngine = .shared
    ) throws(PathEngineError) {
        self.hub = hub
        self.request = request
        let state = PathMonitorState(target: request.target)
        self.state = state
        // The environment first: the first path is then complete.
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
    public convenience init(_ target: PathTarget, hub: SharedPathEngine = .shared) throws(PathEngineError) {
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
    /// newest wins: a reader that is slower than the changes finds only the latest; a gap in ``Path/sequence`` shows
    /// that it missed some. The sequence ends with ``cancel()`` or with its task.
    public var updates: Updates { updates(keepingNewest: 1) }

    /// As ``updates``, with room for more changes that a slow reader has not taken yet.
    ///
    /// - Parameter count: How many are kept, at least 1; the oldest is dropped first.
    public func updates(keepingNewest count: Int) -> Updates {
        Updates(monitor: self, buffer: max(count, 1))
    }

    /// Waits until packets can leave; returns at once while they can.
    ///
    /// - Returns: The satisfied path; nil when the monitor was cancelled or the task was.
    public func waitUntilSatisfied() async -> Path? {
        for await path in updates where path.status == .satisfied { return path }
        return nil
    }

    /// Waits until packets can leave, for a limited time; returns at once while they can.
    ///
    /// - Parameters:
    ///   - duration: How long to wait at most.
    ///   - clock: The clock that measures it.
    /// - Returns: The satisfied path; nil when the time is over, the monitor was cancelled or the task was.
    public func waitUntilSatisfied<C: Clock>(for duration: C.Duration, clock: C = ContinuousClock()) async -> Path? {
        let path = currentPath
        guard path.status != .satisfied else { return path }
        return await withTaskGroup(of: Path?.self) { group in
            group.addTask { await self.waitUntilSatisfied() }
            group.addTask {
                try? await clock.sleep(for: duration)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
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

extension PathMonitor {
    /// The updates of a monitor; each iteration is a reader of its own and keeps the monitor watching.
    public struct Updates: AsyncSequence, Sendable {
        /// The element.
        public typealias Element = Path
        /// Nothing fails once the monitor runs.
        public typealias Failure = Never

        let monitor: PathMonitor
        let buffer: Int

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator {
            Iterator(monitor: monitor, stream: monitor.makeStream(buffer: buffer).makeAsyncIterator())
        }

        /// One reader.
        public struct Iterator: AsyncIteratorProtocol {
            let monitor: PathMonitor
            var stream: AsyncStream<Path>.Iterator

            /// Waits for the next path; nil when the monitor was cancelled or the task was.
            public mutating func next() async -> Path? {
                await next(isolation: #isolation)
            }

            /// Waits for the next path on the caller's actor; nil when the monitor was cancelled or the task was.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Path? {
                await stream.next(isolation: actor)
            }
        }
    }
}

extension PathMonitor {
    /// A path as a monitor delivers it: the kernel's verdict on the target, and what is true for all targets beside it.
    public struct Path: Sendable, Hashable {
        /// The kernel's verdict, with flags, source address and the state of the name's resolution.
        public let verdict: NetworkPath
        /// The next hops: those of the default routes for the default path, otherwise the one of the target's route;
        /// empty for directly connected targets.
        public let gateways: [IPAddress]
        /// Whether at least one configured name server has a satisfied path.
        public let supportsDNS: Bool
        /// The number of this path in its monitor's updates, from 1, without gaps; 0 for one that was evaluated on the
        /// spot.
        public let sequence: UInt64

        /// Whether packets can leave.
        public var status: PathStatus { verdict.status }
        /// Why packets cannot leave; nil while they can.
        public var unsatisfiedReason: UnsatisfiedReason? { verdict.unsatisfiedReason }
        /// SystemConfiguration's flags (F1).
        public var flags: SCNetworkReachabilityFlags { verdict.flags }
        /// AFNetworking's status.
        public var reachability: ReachabilityStatus { verdict.reachability }
        /// The outgoing interface.
        public var interface: NetworkInterface? { verdict.interface }
        /// Whether IPv4 packets can leave by this path.
        public var supportsIPv4: Bool { verdict.supportsIPv4 }
        /// Whether IPv6 packets can leave by this path.
        public var supportsIPv6: Bool { verdict.supportsIPv6 }
        /// Whether the outgoing interface is cellular or declared as metered.
        public var isExpensive: Bool { verdict.isExpensive }
        /// Whether the outgoing interface is declared as constrained.
        public var isConstrained: Bool { verdict.isConstrained }

        init(_ verdict: NetworkPath, of target: PathTarget, in environment: NetworkEnvironment, sequence: UInt64) {
            self.verdict = verdict
            self.sequence = sequence
            supportsDNS = environment.supportsDNS
            gateways =
                switch target {
                case .defaultPath(let family, nil) where verdict.status == .satisfied:
                    environment.gateways.map(\.address).filter { family == nil || $0.family == family }
                default:
                    verdict.gateway.map { [$0] } ?? []
                }
        }

        /// Whether this is news after another path: all but the number counts.
        func differs(from other: Path) -> Bool {
            verdict != other.verdict || gateways != other.gateways || supportsDNS != other.supportsDNS
        }
    }
}
