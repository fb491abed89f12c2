// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A request's header fields: a list, or the bytes that came, of which most are never looked at.
enum HeaderFields: Sendable {
    case list([HTTPHeader])
    /// Each field as name, NUL, optional blanks, value, NUL, NUL; checked by the C side.
    case block([UInt8])

    /// The fields in their order.
    var list: [HTTPHeader] {
        switch self {
        case .list(let list):
            return list
        case .block(let block):
            var list: [HTTPHeader] = []
            Self.visit(block) { name, value in
                list.append(HTTPHeader(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
                return true
            }
            return list
        }
    }

    /// The value of the first field of a name, without regard to case.
    func first(_ name: String) -> String? {
        var wanted = name
        return wanted.withUTF8 { wanted in
            switch self {
            case .list(let list):
                return list.first { field in
                    var name = field.name
                    return name.withUTF8 { unsafe Self.isSame($0, wanted) }
                }?.value
            case .block(let block):
                var found: String?
                Self.visit(block) { name, value in
                    guard name.count == wanted.count, unsafe Self.isSame(name, wanted) else { return true }
                    found = String(decoding: value, as: UTF8.self)
                    return false
                }
                return found
            }
        }
    }

    private static func visit(_ block: [UInt8], _ body: (ArraySlice<UInt8>, ArraySlice<UInt8>) -> Bool) {
        var at = 0
        while at < block.count, block[at] != 0 {
            let name = at
            while at < block.count, block[at] != 0 { at += 1 }
            let nameEnd = at
            at += 1
            while at < block.count, block[at] == UInt8(ascii: " ") || block[at] == UInt8(ascii: "\t") { at += 1 }
            let value = min(at, block.count)
            while at < block.count, block[at] != 0 { at += 1 }
            var valueEnd = min(at, block.count)
            at += 2
            while valueEnd > value,
                block[valueEnd - 1] == UInt8(ascii: " ") || block[valueEnd - 1] == UInt8(ascii: "\t")
            {
                valueEnd -= 1
            }
            guard body(block[name..<nameEnd], block[value..<valueEnd]) else { return }
        }
    }

    private static func isSame(_ left: some Collection<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var index = 0
        for byte in left {
            guard lowercase(byte) == lowercase(unsafe right[index]) else { return false }
            index += 1
        }
        return true
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
