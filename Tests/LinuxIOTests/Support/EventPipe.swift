// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A stream whose elements a test awaits one by one.
final class EventPipe<Element: Sendable>: Sendable {
    private let stream: AsyncStream<Element>
    private let continuation: AsyncStream<Element>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func send(_ element: Element) {
        continuation.yield(element)
    }

    /// The first element that has not been taken.
    func next() async -> Element? {
        for await element in stream { return element }
        return nil
    }
}
