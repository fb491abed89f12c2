// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension YAMLNode {
    /// The node as JSON on one line. Of a node that was read from JSON, its meaning to the letter.
    var json: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// What a merge patch makes of a node (RFC 7396): null removes, mappings are merged, everything else takes the place of
    /// what was there.
    func merged(with patch: YAMLNode) -> YAMLNode {
        guard case .mapping(let changes) = patch.content else { return patch }
        var pairs: [Pair] = []
        if case .mapping(let own) = content { pairs = own }
        for change in changes {
            let place = pairs.firstIndex { $0.key.text == change.key.text }
            if change.value.isNull {
                if let place { pairs.remove(at: place) }
                continue
            }
            let old = place.map { pairs[$0].value } ?? YAMLNode(.scalar("null", isPlain: true), position: position)
            // Also where there was nothing: a null in what is new removes itself.
            let pair = Pair(key: change.key, value: old.merged(with: change.value))
            if let place { pairs[place] = pair } else { pairs.append(pair) }
        }
        return YAMLNode(.mapping(pairs), position: patch.position)
    }

    private func append(to bytes: inout [UInt8]) {
        switch content {
        case .scalar(let text, isPlain: true):
            bytes += text.utf8
        case .scalar(let text, isPlain: false):
            Self.append(text, to: &bytes)
        case .sequence(let nodes):
            bytes.append(UInt8(ascii: "["))
            for (index, node) in nodes.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                node.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .mapping(let pairs):
            bytes.append(UInt8(ascii: "{"))
            for (index, pair) in pairs.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.append(pair.key.text ?? "", to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                pair.value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20, 0x7f:
                let digits = String(byte, radix: 16)
                bytes += ("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
