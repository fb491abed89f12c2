// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization

/// Something that only one loop's thread touches.
///
/// Unchecked because every access goes through the loop (``run(_:)``), and the last reference goes there too.
final class LoopConfined<Value>: @unchecked Sendable {
    let loop: EventLoop
    private var value: Value?

    /// Makes the value on the loop's thread.
    init(_ loop: EventLoop, _ make: @escaping @Sendable () -> Value) {
        self.loop = loop
        _ = loop.executeAndWait { [self] in value = make() }
    }

    /// Runs on the loop's thread with the value and waits.
    func run<Result: Sendable>(_ body: @escaping @Sendable (Value) -> Result) -> Result? {
        loop.executeAndWait { [self] in value.map(body) } ?? nil
    }

    /// Runs on the loop's thread with the value, later.
    func execute(_ body: @escaping @Sendable (Value) -> Void) {
        loop.execute { [self] in if let value { body(value) } }
    }

    /// Lets the value go, on the loop's thread.
    func drop() {
        _ = loop.executeAndWait { [self] in value = nil }
    }
}
