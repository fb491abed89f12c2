// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CoreFoundation

/// The run loops and modes that a target is scheduled on, with the one source that stands in all of them.
/// The list lives behind the target's lock.
struct RunLoopSchedule: Sendable {
    private let source: CoreFoundationReference<CFRunLoopSource>
    private var places: [RunLoopEntry] = []

    /// Creates a source that calls back on the loop that finds it signalled; nil when Core Foundation makes none.
    ///
    /// - Parameter perform: Kept until ``invalidate()``.
    init?(perform: @escaping @Sendable () -> Void) {
        let bell = unsafe Unmanaged.passRetained(WakeUpSource(perform: perform))
        // The source's one reference is the `retain` of its creation; ours ends with this initializer.
        defer { unsafe bell.release() }
        var context = unsafe CFRunLoopSourceContext()
        unsafe context.info = bell.toOpaque()
        unsafe context.retain = { info in
            guard let info = unsafe info else { return nil }
            return unsafe UnsafeRawPointer(Unmanaged<WakeUpSource>.fromOpaque(info).retain().toOpaque())
        }
        unsafe context.release = { info in
            guard let info = unsafe info else { return }
            unsafe Unmanaged<WakeUpSource>.fromOpaque(info).release()
        }
        unsafe context.perform = { info in
            guard let info = unsafe info else { return }
            unsafe Unmanaged<WakeUpSource>.fromOpaque(info).takeUnretainedValue().perform()
        }
        guard let source = unsafe CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context) else { return nil }
        self.source = CoreFoundationReference(source)
    }

    /// Whether nothing is scheduled.
    var isEmpty: Bool { places.isEmpty }

    // Adding to and removing from a loop happens under the target's lock, so that the list and the loops agree. Nothing
    // can call back from there: the source has no schedule and cancel functions, and we hold a reference to it.

    /// Adds a loop and mode; the same pair may be added several times and must then be removed as often.
    mutating func add(_ place: RunLoopEntry) {
        if !places.contains(place) { CFRunLoopAddSource(place.loop.value, source.value, place.mode.value) }
        places.append(place)
    }

    /// Removes a loop and mode once; what is not there is not removed.
    mutating func remove(_ place: RunLoopEntry) {
        guard let index = places.lastIndex(of: place) else { return }
        places.remove(at: index)
        if !places.contains(place) { CFRunLoopRemoveSource(place.loop.value, source.value, place.mode.value) }
    }

    /// Asks for one call-out; several before a loop turns are one (R61). Outside the target's lock.
    func signal() {
        CFRunLoopSourceSignal(source.value)
        for place in places { CFRunLoopWakeUp(place.loop.value) }
    }

    /// Takes the source from all loops for good and releases what it calls. Outside the target's lock.
    func invalidate() {
        CFRunLoopSourceInvalidate(source.value)
    }
}

/// A run loop and one of its modes.
struct RunLoopEntry: Sendable, Equatable {
    fileprivate let loop: CoreFoundationReference<CFRunLoop>
    fileprivate let mode: CoreFoundationReference<CFRunLoopMode>

    init(_ loop: CFRunLoop, _ mode: CFRunLoopMode) {
        self.loop = CoreFoundationReference(loop)
        // Core Foundation recognises the common modes by the constant's address, and a string that was converted has another.
        let isCommon = CFEqual(mode, kCFRunLoopCommonModes)
        self.mode = CoreFoundationReference(
            isCommon ? kCFRunLoopCommonModes : CFStringCreateCopy(kCFAllocatorDefault, mode)
        )
    }

    static func == (left: RunLoopEntry, right: RunLoopEntry) -> Bool {
        left.loop.value === right.loop.value && CFEqual(left.mode.value, right.mode.value)
    }
}

/// A run loop, its source or a mode's name.
///
/// Unchecked because Core Foundation's run loops and sources may be used from any thread (its documentation says so of
/// these calls) and their types do not say it, and because a mode's name is a copy that never changes.
private struct CoreFoundationReference<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// What a run loop's source points to.
private final class WakeUpSource: Sendable {
    let perform: @Sendable () -> Void

    init(perform: @escaping @Sendable () -> Void) {
        self.perform = perform
    }
}
