// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CoreFoundation

/// The run loops and modes that a target is scheduled on, with the one source that stands in all of them.
///
/// Unchecked because Core Foundation's run loops and sources may be used from any thread (its documentation says so of
/// these calls) and its types do not say it; the list itself lives behind the target's lock.
struct RunLoopSchedule: @unchecked Sendable {
    private struct Entry {
        var loop: CFRunLoop
        var mode: CFRunLoopMode

        func isSame(_ loop: CFRunLoop, _ mode: CFRunLoopMode) -> Bool {
            self.loop === loop && CFEqual(self.mode, mode)
        }
    }

    private let source: CFRunLoopSource
    private var entries: [Entry] = []

    /// Creates a source that calls back on the loop that finds it signalled; nil when Core Foundation makes none.
    ///
    /// - Parameter perform: Kept until ``invalidate()``.
    init?(perform: @escaping @Sendable () -> Void) {
        let bell = unsafe Unmanaged.passRetained(Bell(perform: perform))
        // The source's one reference is the `retain` of its creation; ours ends with this initializer.
        defer { unsafe bell.release() }
        var context = unsafe CFRunLoopSourceContext()
        unsafe context.info = bell.toOpaque()
        unsafe context.retain = { info in
            guard let info = unsafe info else { return nil }
            return unsafe UnsafeRawPointer(Unmanaged<Bell>.fromOpaque(info).retain().toOpaque())
        }
        unsafe context.release = { info in
            guard let info = unsafe info else { return }
            unsafe Unmanaged<Bell>.fromOpaque(info).release()
        }
        unsafe context.perform = { info in
            guard let info = unsafe info else { return }
            unsafe Unmanaged<Bell>.fromOpaque(info).takeUnretainedValue().perform()
        }
        guard let source = unsafe CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context) else { return nil }
        self.source = source
    }

    /// Whether nothing is scheduled.
    var isEmpty: Bool { entries.isEmpty }

    // Adding to and removing from a loop happens under the target's lock, so that the list and the loops agree. Nothing
    // can call back from there: the source has no schedule and cancel functions, and we hold a reference to it.

    /// Adds a loop and mode; the same pair may be added several times and must then be removed as often.
    mutating func add(_ loop: CFRunLoop, _ mode: CFRunLoopMode) {
        if !contains(loop, mode) { CFRunLoopAddSource(loop, source, mode) }
        entries.append(Entry(loop: loop, mode: mode))
    }

    /// Removes a loop and mode once; what is not there is not removed.
    mutating func remove(_ loop: CFRunLoop, _ mode: CFRunLoopMode) {
        guard let index = entries.lastIndex(where: { $0.isSame(loop, mode) }) else { return }
        entries.remove(at: index)
        if !contains(loop, mode) { CFRunLoopRemoveSource(loop, source, mode) }
    }

    /// Asks for one call-out; several before a loop turns are one (R61). Outside the target's lock.
    func signal() {
        CFRunLoopSourceSignal(source)
        for entry in entries { CFRunLoopWakeUp(entry.loop) }
    }

    /// Takes the source from all loops for good and lets go of what it calls. Outside the target's lock.
    func invalidate() {
        CFRunLoopSourceInvalidate(source)
    }

    private func contains(_ loop: CFRunLoop, _ mode: CFRunLoopMode) -> Bool {
        entries.contains { $0.isSame(loop, mode) }
    }
}

/// What a run loop's source points to.
private final class Bell: Sendable {
    let perform: @Sendable () -> Void

    init(perform: @escaping @Sendable () -> Void) {
        self.perform = perform
    }
}
