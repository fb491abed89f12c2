// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import CoreFoundation
public import Dispatch
public import Foundation
public import NetworkPaths

// Apple's names, all of them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Results may be ignored because those of C functions may.

/// Asks whether the target is reachable.
///
/// Scheduled: the last known state, without a look at the network; the call-out that a name is owed is then off (R56).
/// Otherwise the kernel is asked, without DNS traffic: a name is judged as the default path is (R52). Never waits for the
/// network.
///
/// - Parameters:
///   - target: The target.
///   - flags: Set to the flags, private bits masked off (R65); to none when the call fails.
/// - Returns: false, with `kSCStatusReachabilityUnknown`, when the kernel or the engine refused to answer.
@discardableResult
public func SCNetworkReachabilityGetFlags(
    _ target: SCNetworkReachability,
    _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>
) -> Bool {
    switch target.flags() {
    case .success(let found):
        unsafe flags.pointee = found
        return report(nil)
    case .failure(let error):
        unsafe flags.pointee = []
        return report(error)
    }
}

// Preconcurrency, so that a function's name passes in Swift 5 without a warning, as it does on Apple's systems.

/// Sets what is called when the target's reachability changes while it is scheduled.
///
/// It replaces the present callback, whose context is released before this returns (R64). The new one is called for
/// changes from now on; setting it calls nothing.
///
/// - Parameters:
///   - target: The target.
///   - callout: The callback; nil for none.
///   - context: What it is given, copied; nil for nothing.
/// - Returns: true.
@preconcurrency
@discardableResult
public func SCNetworkReachabilitySetCallback(
    _ target: SCNetworkReachability,
    _ callout: SCNetworkReachabilityCallBack?,
    _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
    let context = unsafe context?.pointee ?? SCNetworkReachabilityContext()
    target.setCallback(unsafe CallbackRegistration(callout: callout, context: context))
    return report(nil)
}

/// Delivers changes on a run loop, in one of its modes.
///
/// Several changes before the loop turns are one call-out with the state at that moment (R61). A target may be on
/// several run loops and modes, each call-out then happens on one of them; not on a queue at the same time (R62). A name
/// begins to be resolved now, and gets at least one call-out (R53, R56).
///
/// - Parameters:
///   - target: The target.
///   - runLoop: The run loop.
///   - runLoopMode: The mode.
/// - Returns: false, with `kSCStatusInvalidArgument` when the target is on a queue, with `kSCStatusFailed` when the path
///   engine could not start.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability,
    _ runLoop: CFRunLoop,
    _ runLoopMode: CFRunLoopMode
) -> Bool {
    report(target.schedule(on: RunLoopEntry(runLoop, runLoopMode)))
}

/// The same, for a mode that is named by a string: `"…" as CFString`.
///
/// - Parameters:
///   - target: The target.
///   - runLoop: The run loop.
///   - runLoopMode: The mode's name.
/// - Returns: As with `CFRunLoopMode`.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability,
    _ runLoop: CFRunLoop,
    _ runLoopMode: CFString
) -> Bool {
    SCNetworkReachabilityScheduleWithRunLoop(target, runLoop, runLoopMode.coreFoundationString)
}

/// Ends what `SCNetworkReachabilityScheduleWithRunLoop` began. With the last run loop and mode all that was known of the
/// target is forgotten (R63).
///
/// - Parameters:
///   - target: The target.
///   - runLoop: The run loop.
///   - runLoopMode: The mode; a pair that the target is not scheduled on is ignored.
/// - Returns: false, with `kSCStatusInvalidArgument`, when the target is on no run loop at all.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability,
    _ runLoop: CFRunLoop,
    _ runLoopMode: CFRunLoopMode
) -> Bool {
    report(target.unschedule(from: RunLoopEntry(runLoop, runLoopMode)))
}

/// The same, for a mode that is named by a string: `"…" as CFString`.
///
/// - Parameters:
///   - target: The target.
///   - runLoop: The run loop.
///   - runLoopMode: The mode's name.
/// - Returns: As with `CFRunLoopMode`.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability,
    _ runLoop: CFRunLoop,
    _ runLoopMode: CFString
) -> Bool {
    SCNetworkReachabilityUnscheduleFromRunLoop(target, runLoop, runLoopMode.coreFoundationString)
}

/// Delivers changes on a queue, or ends that.
///
/// Each change is a call-out of its own, in order, with the flags of that change (R62). A name begins to be resolved
/// now, and gets at least one call-out (R53, R56).
///
/// - Parameters:
///   - target: The target.
///   - queue: The queue; nil to end the telling and forget all that was known of the target (R63).
/// - Returns: false, with `kSCStatusInvalidArgument` when the target is scheduled already, or for nil when it is on no
///   queue; with `kSCStatusFailed` when the path engine could not start.
@discardableResult
public func SCNetworkReachabilitySetDispatchQueue(
    _ target: SCNetworkReachability,
    _ queue: DispatchQueue?
) -> Bool {
    if let queue {
        report(target.schedule(on: queue))
    } else {
        report(target.unscheduleFromQueue())
    }
}

private func report(_ error: StatusError?) -> Bool {
    LastError.set(error?.code ?? kSCStatusOK)
    return error == nil
}
