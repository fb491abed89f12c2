// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// Passes one value from one thread to another that waits for it.
final class OneShotPromise<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore = Semaphore()

    /// Gives the value and wakes the waiting thread. Call it once.
    func give(_ newValue: Value) {
        value.withLock { $0 = newValue }
        semaphore.post()
    }

    /// Waits for the value.
    func take() -> Value? {
        semaphore.wait()
        return value.withLock { $0 }
    }
}

extension EventLoop {
    /// Runs work on an event loop of its own and waits for its result; blocks the caller's thread.
    ///
    /// - Parameters:
    ///   - name: The name of the loop's thread.
    ///   - start: Starts the work, on the loop's thread. Its second parameter takes the result: once, on the loop's thread,
    ///     after the work has closed what it opened on the loop.
    /// - Returns: The result, or the error of `start`; nil when the loop ended without either.
    /// - Throws: ``SystemError`` when a descriptor or the thread cannot be created.
    package static func run<Value: Sendable, Failure: Error>(
        named name: String,
        _ start: @escaping @Sendable (EventLoop, @escaping (Value) -> Void) throws(Failure) -> Void
    ) throws(SystemError) -> Result<Value, Failure>? {
        let loop = try EventLoop(name: name)
        defer { loop.close() }
        let answer = OneShotPromise<Result<Value, Failure>>()
        let isAccepted = loop.execute {
            do throws(Failure) {
                try start(loop) { answer.give(.success($0)) }
            } catch {
                answer.give(.failure(error))
            }
        }
        return isAccepted ? answer.take() : nil
    }
}
