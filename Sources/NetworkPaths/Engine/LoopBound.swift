// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Carries an object that belongs to one event loop past threads that only pass it on.
///
/// Unchecked because the rule "touched on its loop only" is the engine's, kept in one file: PathEngine.swift.
final class LoopBound<Value>: @unchecked Sendable {
    var value: Value?

    init(_ value: Value) {
        self.value = value
    }
}
