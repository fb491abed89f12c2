// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import NetworkPaths
import SystemConfiguration

/// What a manager needs of the system handle that it watches.
///
/// The manager makes these calls one at a time; handler calls come on the scheduled queue.
protocol ReachabilityTarget: Sendable {
    /// The last known flags while scheduled, a fresh evaluation otherwise; nil when the query fails (R12, R13).
    func currentFlags() -> SCNetworkReachabilityFlags?

    /// Replaces what is called with new flags.
    func setHandler(_ handler: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void)

    /// Begins to call the handler on `queue`.
    func schedule(on queue: DispatchQueue)

    /// Ends that; nothing happens when not scheduled (R24).
    func unschedule()
}

/// The system's handle as a manager uses it.
final class SystemReachabilityTarget: ReachabilityTarget {
    private let reachability: SCNetworkReachability

    init(_ reachability: SCNetworkReachability) {
        self.reachability = reachability
    }

    func currentFlags() -> SCNetworkReachabilityFlags? {
        var flags = SCNetworkReachabilityFlags()
        return unsafe SCNetworkReachabilityGetFlags(reachability, &flags) ? flags : nil
    }

    func setHandler(_ handler: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void) {
        let box = HandlerBox(handler)
        var context = unsafe SCNetworkReachabilityContext(
            version: 0,
            info: Unmanaged.passUnretained(box).toOpaque(),
            retain: { unsafe UnsafeRawPointer(Unmanaged<HandlerBox>.fromOpaque($0).retain().toOpaque()) },
            release: { unsafe Unmanaged<HandlerBox>.fromOpaque($0).release() },
            copyDescription: nil
        )
        // Setting retains the box; replacing, or the handle's end, releases it.
        withExtendedLifetime(box) {
            _ = unsafe SCNetworkReachabilitySetCallback(reachability, callOut, &context)
        }
    }

    // That both of these may fail is left unsaid, as the original leaves it (R11): without a schedule there is still
    // the initial delivery, and the next start tries again.

    func schedule(on queue: DispatchQueue) {
        _ = SCNetworkReachabilitySetDispatchQueue(reachability, queue)
    }

    func unschedule() {
        _ = SCNetworkReachabilitySetDispatchQueue(reachability, nil)
    }
}

/// What the context of the callback holds.
private final class HandlerBox: Sendable {
    let handler: @Sendable (SCNetworkReachabilityFlags) -> Void

    init(_ handler: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void) {
        self.handler = handler
    }
}

private func callOut(
    _ reachability: SCNetworkReachability,
    _ flags: SCNetworkReachabilityFlags,
    _ info: UnsafeMutableRawPointer?
) {
    guard let info = unsafe info else { return }
    unsafe Unmanaged<HandlerBox>.fromOpaque(info).takeUnretainedValue().handler(flags)
}

/// The target of a shared manager whose handle the system refused: each query fails, so the status stays unknown (R12).
struct UnavailableTarget: ReachabilityTarget {
    func currentFlags() -> SCNetworkReachabilityFlags? { nil }
    func setHandler(_ handler: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void) {}
    func schedule(on queue: DispatchQueue) {}
    func unschedule() {}
}
