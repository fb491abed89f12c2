// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// What stored forms consist of; nil for everything that is none.
extension JSONValue {
    /// The elements of an array.
    var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The text of a member.
    func text(_ name: String) -> String? {
        guard case .string(let text)? = member(name) else { return nil }
        return text
    }

    /// The number of a member, within bounds.
    func whole(_ name: String, _ range: ClosedRange<Int64>) -> Int64? {
        guard case .number(let text)? = member(name), let number = Int64(text), range.contains(number) else {
            return nil
        }
        return number
    }

    /// The time of a member, stored in milliseconds.
    func moment(_ name: String) -> Timestamp? {
        whole(name, 0...253_402_300_799_999).map(Timestamp.init(milliseconds:))
    }

    /// The elements of an array; nil when it is none, or one of them is not of the type.
    func elements<Element>(_ name: String, _ make: (JSONValue) -> Element?) -> [Element]? {
        guard let values = member(name)?.elements else { return nil }
        let elements = values.compactMap(make)
        return elements.count == values.count ? elements : nil
    }
}
