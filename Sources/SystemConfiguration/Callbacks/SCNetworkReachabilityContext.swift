// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import CoreFoundation
public import Foundation
public import NetworkPaths

/// What a callback is given, and how to hold on to it; shaped as Apple's C structure.
///
/// The functions run on the thread that sets, replaces or calls the callback, and with the last reference to a target on
/// the thread that releases it; never under a lock of this library.
@unsafe public struct SCNetworkReachabilityContext {
    /// The structure's version, 0.
    public var version: CFIndex
    /// Handed to the callback.
    public var info: UnsafeMutableRawPointer?
    /// Called with ``info`` when the callback is set and around each call; its result is what is kept.
    public var retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?
    /// Called when the callback is replaced or the target goes, and after each call if ``retain`` is set.
    public var release: (@convention(c) (UnsafeRawPointer) -> Void)?
    /// Called for the target's description. A Swift function type, because C cannot return a Swift object on Linux.
    public var copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?

    /// Creates an empty context.
    public init() {
        unsafe self.init(version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
    }

    /// Creates a context from its parts.
    public init(
        version: CFIndex,
        info: UnsafeMutableRawPointer?,
        retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?,
        release: (@convention(c) (UnsafeRawPointer) -> Void)?,
        copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?
    ) {
        unsafe self.version = version
        unsafe self.info = unsafe info
        unsafe self.retain = unsafe retain
        unsafe self.release = unsafe release
        unsafe self.copyDescription = unsafe copyDescription
    }
}

/// Called when a target's reachability changed (R57).
///
/// A Swift closure type: a C function cannot take a Swift object on Linux. Literals and function names compile as on
/// Apple's systems. It is called on the queue or run loop that the target is scheduled on.
///
/// - Parameters: the target, its flags, and the context's `info`.
public typealias SCNetworkReachabilityCallBack =
    @Sendable (
        _ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags, _ info: UnsafeMutableRawPointer?
    ) -> Void
