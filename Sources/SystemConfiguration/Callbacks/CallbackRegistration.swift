// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CoreFoundation
internal import NetworkPaths
internal import Synchronization

/// A callback with its context, retained once from creation to ``release()`` or to the end of its life (R64).
///
/// Unchecked because the context's `info` is the client's, which owes it the thread safety that the C interface asks for;
/// everything of ours is constant or behind the lock.
@safe final class CallbackRegistration: @unchecked Sendable {
    private struct State {
        /// Calls that are about to retain `info` for themselves.
        var pins = 0
        var isReleased = false
        var isReleaseOwed = false
    }

    let callout: SCNetworkReachabilityCallBack?
    private let context: SCNetworkReachabilityContext
    private let state = Mutex(State())

    /// Retains the context.
    init(callout: SCNetworkReachabilityCallBack?, context: SCNetworkReachabilityContext) {
        unsafe self.callout = unsafe callout
        var context = unsafe context
        if let info = unsafe context.info, let retain = unsafe context.retain {
            unsafe context.info = unsafe UnsafeMutableRawPointer(mutating: retain(info))
        }
        unsafe self.context = unsafe context
    }

    deinit {
        release()
    }

    /// Releases the context, once; while a call is about to retain it, that call does so instead.
    func release() {
        let isDue = state.withLock { state in
            guard !state.isReleased else { return false }
            state.isReleased = true
            state.isReleaseOwed = state.pins > 0
            return !state.isReleaseOwed
        }
        if isDue { releaseContext() }
    }

    /// Keeps the context from being released until ``call(_:_:)`` retained it; to be called under the lock of the target
    /// whose registration this is.
    func pin() {
        state.withLock { $0.pins += 1 }
    }

    /// Calls out with the context retained around the call (R60); the end of a ``pin()``.
    func call(_ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags) {
        guard let info = unsafe context.info, let retain = unsafe context.retain else {
            unpin()
            unsafe callout?(target, flags, context.info)
            return
        }
        let own = unsafe retain(info)
        unpin()
        unsafe callout?(target, flags, UnsafeMutableRawPointer(mutating: own))
        unsafe context.release?(own)
    }

    /// The client's own description of `info`; the end of a ``pin()``.
    func describe() -> String? {
        defer { unpin() }
        guard let info = unsafe context.info, let describe = unsafe context.copyDescription else { return nil }
        return "\(unsafe describe(info).takeRetainedValue())"
    }

    private func unpin() {
        let isDue = state.withLock { state in
            state.pins -= 1
            defer { if state.pins == 0 { state.isReleaseOwed = false } }
            return state.pins == 0 && state.isReleaseOwed
        }
        if isDue { releaseContext() }
    }

    private func releaseContext() {
        if let info = unsafe context.info { unsafe context.release?(info) }
    }
}
