// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// Calls completions in a later turn of an event loop, in the order of their results. On the loop's thread.
struct CompletionQueue<Result> {
    private var finished: [(completion: (Result) -> Void, result: Result)] = []
    private var isScheduled = false

    /// Adds a result for its completion.
    ///
    /// - Parameter turn: Runs in the next turn; it calls ``take()`` and the completions. The loop retains it until then.
    mutating func add(
        _ result: Result,
        for completion: @escaping (Result) -> Void,
        on loop: EventLoop,
        turn: @escaping () -> Void
    ) {
        finished.append((completion, result))
        guard !isScheduled else { return }
        isScheduled = true
        _ = loop.schedule(at: 0, handler: turn)
    }

    /// Removes and returns all results with their completions. The caller calls them when it no longer uses the queue,
    /// because a completion may add another.
    mutating func take() -> [(completion: (Result) -> Void, result: Result)] {
        isScheduled = false
        defer { finished = [] }
        return finished
    }
}
