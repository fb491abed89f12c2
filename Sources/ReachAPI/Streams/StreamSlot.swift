// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// One of the streams that may be open at a time; given back once.
final class StreamSlot: Sendable {
    /// Counts the slots that are taken.
    final class Counter: Sendable {
        private let taken = Atomic<Int>(0)
        private let limit: Int

        init(limit: Int) {
            self.limit = limit
        }

        /// Takes a slot; nil when none is left.
        func take() -> StreamSlot? {
            guard taken.add(1, ordering: .relaxed).newValue <= limit else {
                taken.subtract(1, ordering: .relaxed)
                return nil
            }
            return StreamSlot(counter: self)
        }

        fileprivate func giveBack() {
            taken.subtract(1, ordering: .relaxed)
        }
    }

    private let counter: Counter
    private let isReleased = Atomic<Bool>(false)

    fileprivate init(counter: Counter) {
        self.counter = counter
    }

    func release() {
        if !isReleased.exchange(true, ordering: .relaxed) { counter.giveBack() }
    }

    deinit {
        release()
    }
}
