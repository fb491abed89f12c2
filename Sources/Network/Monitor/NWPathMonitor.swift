// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Dispatch
package import NetworkPaths

/// Monitors the network of this machine and reports changes: Apple's `NWPathMonitor`, for Linux.
///
/// ```swift
/// let monitor = NWPathMonitor()
/// monitor.pathUpdateHandler = { path in print(path.status) }
/// monitor.start(queue: .main)
/// ```
///
/// **Life.** A monitor that was started is kept alive until ``cancel()``, whatever its owner does, as a scheduled
/// `SCNetworkReachability` is. Any other ends with its last reference. A cancelled monitor cannot be started again.
///
/// **Threads.** All members may be used from any thread. The handler runs on the queue of ``start(queue:)``, one call at a time and
/// in the order of the changes, also if the queue is a concurrent one.
///
/// **Restrictions.** A monitor of all interfaces reports on packets that are bound to no interface: the kernel's choice. One that
/// is restricted to types of interfaces reports on programs that bind their sockets to such an interface.
public final class NWPathMonitor: Sendable {
    private let core: PathMonitorCore

    /// Creates a monitor of the network as such, by whatever interface.
    public convenience init() {
        self.init(.none)
    }

    /// Creates a monitor of the interfaces of one type.
    ///
    /// - Parameter requiredInterfaceType: The type. Tunnels are `other`; `loopback` is this machine by itself.
    public convenience init(requiredInterfaceType: NWInterface.InterfaceType) {
        self.init(.required(requiredInterfaceType))
    }

    /// Creates a monitor of the interfaces whose types are not listed.
    ///
    /// - Parameter prohibitedInterfaceTypes: The types. With `cellular`, tunnels over a modem are prohibited too.
    public convenience init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
        self.init(prohibitedInterfaceTypes.isEmpty ? .none : .prohibited(Set(prohibitedInterfaceTypes)))
    }

    /// Creates a monitor, an addition for this package: with an engine that watches another network namespace.
    ///
    /// - Parameters:
    ///   - restriction: The permitted interfaces.
    ///   - hub: The engine to stand on; the process's own unless given.
    package init(_ restriction: InterfaceRestriction, hub: SharedPathEngine = .shared) {
        core = PathMonitorCore(restriction: restriction, hub: hub)
    }

    deinit {
        core.cancel()
    }

    /// The handler of path updates; nil for none.
    ///
    /// It gets the path as it is soon after the start, and each change. It may be set before or after ``start(queue:)``: a handler
    /// that is set when no earlier one got a path begins with the present path. One that replaces another gets changes only.
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { core.handler }
        set { core.setHandler(newValue) }
    }

    /// The path as last seen; after ``cancel()`` it stays as it was.
    ///
    /// Where Apple's framework has an unsatisfied path before the start, the kernel is asked on the spot here.
    public var currentPath: NWPath { core.currentPath }

    /// The queue of the handler; nil before ``start(queue:)``.
    public var queue: DispatchQueue? { core.queue }

    /// Begins to monitor, and keeps the monitor alive until ``cancel()``. Every call but the first does nothing, and so does one
    /// after ``cancel()``.
    ///
    /// When the kernel refuses netlink, the handler gets one path, which is unsatisfied and says so in its description.
    ///
    /// - Parameter queue: The queue of the handler.
    public func start(queue: DispatchQueue) {
        core.start(queue: queue, keeping: self)
    }

    /// Ends the monitoring for good, and releases the handler. After this returns no call of the handler begins, and on the
    /// monitor's own serial queue none is running. A second call does nothing.
    public func cancel() {
        core.cancel()
    }

    func makeStream() -> AsyncStream<NWPath> {
        core.makeStream()
    }
}

extension NWPathMonitor: CustomDebugStringConvertible {
    /// The path as last seen.
    public var debugDescription: String { "NWPathMonitor (\(currentPath.debugDescription))" }
}
