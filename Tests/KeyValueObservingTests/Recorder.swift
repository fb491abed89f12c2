// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import KeyValueObserving
import Synchronization

/// Keeps what observers were told, in order.
final class Recorder<Element: Sendable>: Sendable {
    private let state = Mutex<[Element]>([])

    var elements: [Element] { state.withLock { $0 } }

    func append(_ element: Element) { state.withLock { $0.append(element) } }

    func takeAll() -> [Element] {
        state.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}

/// A place for a token or a value that a handler needs and that exists only later.
final class Box<Value: Sendable>: Sendable {
    private let state: Mutex<Value?>

    init(_ value: Value? = nil) { state = Mutex(value) }

    var value: Value? {
        get { state.withLock { $0 } }
        set {
            let old = state.withLock { state in
                defer { state = newValue }
                return state
            }
            withExtendedLifetime(old) {}
        }
    }
}
