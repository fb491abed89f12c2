// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension NWPathMonitor: AsyncSequence {
    /// The element.
    public typealias Element = NWPath
    /// The sequence ends, and never fails.
    public typealias Failure = Never
    /// The iterator.
    public typealias AsyncIterator = Iterator

    /// Begins to read the path as it is and each change; starts a monitor that is not started yet. The sequence ends with
    /// ``cancel()``, with its task, and for a cancelled monitor at once.
    public func makeAsyncIterator() -> Iterator {
        Iterator(monitor: self, stream: makeStream().makeAsyncIterator())
    }

    /// A reader of the updates of a monitor, which it keeps. A slow reader finds the newest 64.
    public struct Iterator: AsyncIteratorProtocol {
        let monitor: NWPathMonitor
        var stream: AsyncStream<NWPath>.Iterator

        /// Waits for the next path; nil when the monitor or the task was cancelled.
        public mutating func next() async -> NWPath? {
            await next(isolation: #isolation)
        }

        /// Waits for the next path on the caller's actor; nil when the monitor or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> NWPath? {
            await stream.next(isolation: actor)
        }
    }
}
