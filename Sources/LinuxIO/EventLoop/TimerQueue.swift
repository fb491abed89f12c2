// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Timers in the order of their deadlines: a binary heap, with cancelled entries skipped when they come up.
struct TimerQueue {
    private struct Entry {
        let deadline: UInt64
        let token: UInt64
    }

    private var heap: [Entry] = []
    private var handlers: [UInt64: () -> Void] = [:]

    mutating func insert(deadline: UInt64, token: UInt64, handler: @escaping () -> Void) {
        handlers[token] = handler
        heap.append(Entry(deadline: deadline, token: token))
        var child = heap.count - 1
        while child > 0, isBefore(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func remove(token: UInt64) {
        handlers.removeValue(forKey: token)
    }

    /// Milliseconds until the next deadline as `epoll_wait(2)` wants them, rounded up; -1 when there is none.
    mutating func timeout(at clock: borrowing any MonotonicClock) -> Int32 {
        dropCancelled()
        guard let next = heap.first else { return -1 }
        let now = clock.now()
        guard next.deadline > now else { return 0 }
        return Int32(clamping: (next.deadline - now + 999_999) / 1_000_000)
    }

    /// Takes the first timer whose deadline has come.
    mutating func popDue(at clock: borrowing any MonotonicClock) -> (() -> Void)? {
        dropCancelled()
        guard let next = heap.first, next.deadline <= clock.now() else { return nil }
        removeFirst()
        return handlers.removeValue(forKey: next.token)
    }

    private mutating func dropCancelled() {
        while let next = heap.first, handlers[next.token] == nil { removeFirst() }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(heap[child], heap[least])
            {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private func isBefore(_ left: Entry, _ right: Entry) -> Bool {
        (left.deadline, left.token) < (right.deadline, right.token)
    }
}
