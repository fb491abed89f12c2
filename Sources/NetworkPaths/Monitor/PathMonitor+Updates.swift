// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension PathMonitor {
    /// The updates of a monitor; each iteration is a reader of its own and keeps the monitor watching.
    public struct Updates: AsyncSequence, Sendable {
        /// What is told.
        public typealias Element = Path
        /// Nothing fails once the monitor runs.
        public typealias Failure = Never

        let monitor: PathMonitor
        let buffer: Int

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator {
            Iterator(monitor: monitor, stream: monitor.makeStream(buffer: buffer).makeAsyncIterator())
        }

        /// One reader.
        public struct Iterator: AsyncIteratorProtocol {
            let monitor: PathMonitor
            var stream: AsyncStream<Path>.Iterator

            /// Waits for the next path; nil when the monitor was cancelled or the task was.
            public mutating func next() async -> Path? {
                await next(isolation: #isolation)
            }

            /// Waits for the next path on the caller's actor; nil when the monitor was cancelled or the task was.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Path? {
                await stream.next(isolation: actor)
            }
        }
    }
}
