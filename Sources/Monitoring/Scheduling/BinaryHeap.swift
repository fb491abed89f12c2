// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A binary heap: the least element is first.
struct BinaryHeap<Element: Comparable> {
    private var elements: [Element] = []

    var count: Int { elements.count }
    var first: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() {
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        let count = elements.count
        var parent = 0
        while 2 * parent + 1 < count {
            let left = 2 * parent + 1
            let least = left + 1 < count && elements[left + 1] < elements[left] ? left + 1 : left
            guard elements[least] < elements[parent] else { return }
            elements.swapAt(parent, least)
            parent = least
        }
    }

    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        let kept = elements.filter { !isUnwanted($0) }
        elements.removeAll(keepingCapacity: true)
        for element in kept { insert(element) }
    }
}

extension BinaryHeap: Sendable where Element: Sendable {}
