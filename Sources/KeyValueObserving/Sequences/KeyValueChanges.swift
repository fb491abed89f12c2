// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The notifications of one observation as an asynchronous sequence.
///
/// Elements come in the order in which a handler would have been called. A bounded number of them is kept for a slow
/// reader; past it the oldest are dropped, never silently: ``ObservationEvent/lagged(missed:)`` stands in their place.
/// Each element goes to one reader: two iterators of one sequence share it between them.
///
/// The observation ends with ``cancel()``, or when the sequence and its iterators are released.
public struct KeyValueChanges<Value: Sendable>: AsyncSequence, Sendable {
    /// A notification, or how many are missing.
    public typealias Element = ObservationEvent<Value>
    /// Nothing is thrown.
    public typealias Failure = Never

    private let buffer: ChangeBuffer<Value>
    private let observation: KeyValueObservation

    init(buffer: ChangeBuffer<Value>, observation: KeyValueObservation) {
        self.buffer = buffer
        self.observation = observation
    }

    /// Ends the observation; iteration ends after what is already kept. Any thread, any number of times.
    public func cancel() {
        observation.cancel()
    }

    /// Creates a reader.
    public func makeAsyncIterator() -> Iterator {
        Iterator(buffer: buffer, observation: observation)
    }

    /// Reads the sequence's elements.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let buffer: ChangeBuffer<Value>
        /// Held, so that the observation lasts as long as the sequence is read.
        fileprivate let observation: KeyValueObservation

        /// Waits for the next element.
        ///
        /// - Returns: nil when the observation has ended, or the calling task is cancelled.
        public mutating func next() async -> ObservationEvent<Value>? {
            await buffer.next()
        }

        /// Waits for the next element, in the caller's isolation.
        ///
        /// - Parameter actor: the caller's isolation.
        /// - Returns: nil when the observation has ended, or the calling task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> ObservationEvent<Value>? {
            await buffer.next()
        }
    }
}

/// One element of ``KeyValueChanges``.
public enum ObservationEvent<Value: Sendable>: Sendable {
    /// A notification, as a handler would have got it.
    case changed(Change<Value>)
    /// The reader was too slow: this many notifications, older than the next element, were dropped.
    case lagged(missed: Int)

    /// The change; nil for ``lagged(missed:)``.
    public var change: Change<Value>? {
        if case .changed(let change) = self { change } else { nil }
    }
}

extension ObservationEvent: Equatable where Value: Equatable {}
