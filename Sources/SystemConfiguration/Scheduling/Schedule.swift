// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Dispatch
internal import NetworkPaths

/// One scheduling of a target, from the first schedule to the last unschedule; all that it knows ends with it (R63).
struct Schedule: Sendable {
    /// Where call-outs happen; a queue and run loops exclude each other (R62).
    enum Place: Sendable {
        case queue(DispatchQueue)
        case runLoops(RunLoopSchedule)
    }

    /// Distinguishes one scheduling from the next, so that calls in flight for an old one are dropped.
    final class Token: Sendable {}

    let token: Token
    var place: Place
    /// The last known verdict: the state at scheduling, then the engine's.
    var known: NetworkPath
    /// Whether the one call-out that a name is owed is still to come (R56).
    var isCallbackOwed: Bool
    /// Absent while it is being made.
    var subscription: PathSubscription?

    /// Takes in a verdict of the engine.
    ///
    /// - Returns: Whether the client must be called (R57). A kernel that refused to answer gave no verdict to report.
    mutating func take(_ path: NetworkPath) -> Bool {
        let isChange = ReportedState(path) != ReportedState(known)
        known = path
        guard path.isVerdict, isChange || isCallbackOwed else { return false }
        isCallbackOwed = false
        return true
    }
}

/// What a client is notified of: a change of any of these is a call-out (R57).
private struct ReportedState: Equatable {
    let flags: SCNetworkReachabilityFlags
    /// Meaningful only while reachable without a connection to be made (R66).
    let interface: UInt32?
    let addresses: Int
    let isVerdict: Bool

    init(_ path: NetworkPath) {
        flags = path.publicFlags
        interface = path.status == .satisfied ? path.interface?.index : nil
        addresses = path.resolution.addresses.count
        isVerdict = path.isVerdict
    }
}

extension NetworkPath {
    /// The flags without the top eight bits, which are private (R65).
    var publicFlags: SCNetworkReachabilityFlags {
        SCNetworkReachabilityFlags(rawValue: flags.rawValue & 0x00ff_ffff)
    }

    /// Whether the kernel answered at all.
    var isVerdict: Bool { unsatisfiedReason != .kernelRefused }
}
