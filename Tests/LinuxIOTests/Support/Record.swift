// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// A list that several threads append to.
final class Record<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    var all: [Element] { elements.withLock { $0 } }
}
