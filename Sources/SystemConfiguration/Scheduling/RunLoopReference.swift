// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CoreFoundation

/// A run loop on its way to a target's lock. Unchecked because run loops may be used from any thread and their type does
/// not say it.
struct RunLoopReference: @unchecked Sendable {
    let value: CFRunLoop
}

/// A mode's name on its way to a target's lock. Unchecked because the string is copied and never changed.
struct RunLoopModeName: @unchecked Sendable {
    let value: CFRunLoopMode

    init(_ mode: CFRunLoopMode) {
        // Core Foundation recognises the common modes by the constant's address, and a string that was converted has another.
        let isCommon = CFEqual(mode, kCFRunLoopCommonModes)
        value = isCommon ? kCFRunLoopCommonModes : CFStringCreateCopy(kCFAllocatorDefault, mode)
    }
}
