// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// PostgreSQL's text form of a one-dimensional array (`array_out`): `{1,NULL,"a \"b\", c"}`.
enum ArrayLiteral {
    /// The elements, nil for NULL; nil when the text is not such an array or an element has another form. Arrays of several
    /// dimensions, and with other bounds than 1 (`[2:3]={…}`), are rejected.
    static func elements<Element>(
        of text: ArraySlice<UInt8>,
        _ parse: (ArraySlice<UInt8>) -> Element?
    ) -> [Element?]? {
        guard text.count >= 2, text.first == 0x7B, text.last == 0x7D else { return nil }
        var rest = text.dropFirst().dropLast()
        guard !rest.isEmpty else { return [] }
        var elements: [Element?] = []
        while true {
            let isQuoted = rest.first == 0x22
            guard let raw = isQuoted ? takeQuoted(&rest) : takePlain(&rest) else { return nil }
            if !isQuoted, raw.elementsEqual("NULL".utf8) {
                elements.append(nil)
            } else {
                guard let element = parse(raw) else { return nil }
                elements.append(element)
            }
            guard let separator = rest.popFirst() else { return elements }
            guard separator == 0x2C, !rest.isEmpty else { return nil }
        }
    }

    private static func takePlain(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let end = rest.firstIndex(of: 0x2C) ?? rest.endIndex
        let element = rest[..<end]
        rest = rest[end...]
        // A quote, a brace or a backslash would have been quoted; an empty element as well.
        guard !element.isEmpty, !element.contains(where: { [0x22, 0x5C, 0x7B, 0x7D].contains($0) }) else { return nil }
        return element
    }

    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        rest = rest.dropFirst()
        var element: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case 0x22: return element[...]
            case 0x5C:
                guard let next = rest.popFirst() else { return nil }
                element.append(next)
            default: element.append(byte)
            }
        }
        return nil
    }
}
