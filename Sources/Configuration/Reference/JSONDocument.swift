// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A JSON value that is made to be written, with its keys in the order in which they are to stand.
indirect enum JSONDocument {
    case string(String)
    case integer(Int)
    /// A number as it was written.
    case number(String)
    case boolean(Bool)
    case array([JSONDocument])
    case object([(String, JSONDocument)])

    /// The text, two spaces a level, without a line end; what is short and has no depth stands on one line.
    func text(indent: Int = 0) -> String {
        switch self {
        case .string(let string): return Self.quoted(string)
        case .integer(let number): return "\(number)"
        case .number(let text): return text
        case .boolean(let boolean): return boolean ? "true" : "false"
        case .array(let elements):
            return Self.lines(elements.map { $0.text(indent: indent + 2) }, between: ("[", "]"), indent: indent)
        case .object(let pairs):
            let texts = pairs.map { "\(Self.quoted($0)): \($1.text(indent: indent + 2))" }
            return Self.lines(texts, between: ("{", "}"), indent: indent)
        }
    }

    private static func lines(_ texts: [String], between brackets: (String, String), indent: Int) -> String {
        guard !texts.isEmpty else { return brackets.0 + brackets.1 }
        let line = texts.joined(separator: ", ")
        if line.utf8.count + indent <= 110, !line.utf8.contains(UInt8(ascii: "\n")) {
            return "\(brackets.0) \(line) \(brackets.1)"
        }
        let margin = String(repeating: " ", count: indent)
        return brackets.0 + "\n" + texts.map { "\(margin)  \($0)" }.joined(separator: ",\n") + "\n" + margin
            + brackets.1
    }

    /// RFC 8259, section 7.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
