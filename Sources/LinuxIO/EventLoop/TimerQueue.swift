// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Timers in the order of their deadlines, those of one deadline in the order they were set: a binary heap, with
/// cancelled entries skipped when they come up, or swept out when they are most of it.
struct TimerQueue {
    private struct Entry {
        let deadline: UInt64
        let token: UInt64
    }

    private var heap: [Entry] = []
    private var handlers: [UInt64: () -> Void] = [:]

    mutating func insert(deadline: UInt64, token: UInt64, handler: @escaping () -> Void) {
        handlers[token] = handler
        append(Entry(deadline: deadline, token: token))
    }

    /// Takes a timer out.
    ///
    /// - Returns: Its handler, for the caller to let go of when nothing here is being changed.
    mutating func remove(token: UInt64) -> (() -> Void)? {
        let handler = handlers.removeValue(forKey: token)
        if heap.count > 2 * handlers.count + 64 { sweep() }
        return handler
    }

    /// How many entries the heap has, cancelled ones included.
    var entryCount: Int { heap.count }

    /// Milliseconds until the next deadline as `epoll_wait(2)` wants them, rounded up; -1 when there is none.
    mutating func timeout(at clock: borrowing any MonotonicClock) -> Int32 {
        dropCancelled()
        guard let next = heap.first else { return -1 }
        let now = clock.now()
        guard next.deadline > now else { return 0 }
        let (milliseconds, rest) = (next.deadline - now).quotientAndRemainder(dividingBy: 1_000_000)
        return Int32(clamping: milliseconds + (rest > 0 ? 1 : 0))
    }

    /// Takes the first timer if its deadline has come and it is not newer than a token.
    mutating func popDue(at clock: borrowing any MonotonicClock, upTo newest: UInt64) -> (() -> Void)? {
        dropCancelled()
        guard let next = heap.first, next.token <= newest, next.deadline <= clock.now() else { return nil }
        removeFirst()
        return handlers.removeValue(forKey: next.token)
    }

    private mutating func dropCancelled() {
        while let next = heap.first, handlers[next.token] == nil { removeFirst() }
    }

    /// A timer that is set anew again and again, each time far ahead, must not leave its past behind.
    private mutating func sweep() {
        let live = heap.filter { handlers[$0.token] != nil }
        heap.removeAll(keepingCapacity: true)
        for entry in live { append(entry) }
    }

    private mutating func append(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, isBefore(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            let left = 2 * parent + 1
            if left < heap.count, isBefore(heap[left], heap[least]) { least = left }
            if left + 1 < heap.count, isBefore(heap[left + 1], heap[least]) { least = left + 1 }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private func isBefore(_ left: Entry, _ right: Entry) -> Bool {
        (left.deadline, left.token) < (right.deadline, right.token)
    }
}
