// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What people write in expressions, in the words of `regex(7)`.
///
/// POSIX reads `\d` as the letter d and a backslash between brackets as itself: silently something else than meant.
/// Such an escape is translated, or refused with a reason.
enum PatternTranslator {
    struct Translation: Equatable {
        var text = ""
        var ignoresCase = false
    }

    static func translate(_ text: String) throws(ProbePatternError) -> Translation {
        guard text.utf8.count <= 4_096 else { throw ProbePatternError(message: "longer than 4,096 bytes") }
        guard !text.utf8.contains(0) else { throw ProbePatternError(message: "a zero byte") }
        var result = Translation()
        var rest = text[...]
        if rest.hasPrefix("(?i)") {
            result.ignoresCase = true
            rest.removeFirst(4)
        }
        // An empty expression matches everything; regcomp(3) would not take it everywhere.
        if rest.isEmpty { result.text = "()" }
        var characters = Array(rest.unicodeScalars)[...]
        var repeats = 1
        while let character = characters.popFirst() {
            switch character {
            case "\\":
                guard let escaped = characters.popFirst() else {
                    throw ProbePatternError(message: "a backslash at the end")
                }
                result.text += try outside(escaped)
            case "(" where characters.first == "?":
                guard characters.dropFirst().first == ":" else {
                    throw ProbePatternError(
                        message: "of the groups with (? only (?:…), and (?i) at the start, are known"
                    )
                }
                characters.removeFirst(2)
                result.text += "("
            case "[":
                result.text += try set(&characters)
            case "{":
                result.text += "{"
                repeats = repeats.multipliedReportingOverflow(by: bound(characters)).partialValue
                guard repeats <= repeatLimit, repeats * text.utf8.count <= repeatLimit else {
                    throw ProbePatternError(message: "its repeats, all multiplied, are too many")
                }
            case ".":
                // regcomp(3)'s own leaves out the zero byte.
                result.text += "[^\n]"
            default:
                result.text.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// An automaton has a state for each repeat of each character; repeats of repeats would take all memory.
    private static let repeatLimit = 1 << 16

    /// The highest number of `{m,n}`, at least 1 and at most 65,536.
    private static func bound(_ characters: ArraySlice<Unicode.Scalar>) -> Int {
        var numbers: [Int] = [0]
        for character in characters {
            switch character {
            case "0"..."9":
                numbers[numbers.count - 1] = min(
                    numbers[numbers.count - 1] * 10 + Int(character.value) - 48,
                    repeatLimit
                )
            case ",": numbers.append(0)
            default: return max(1, numbers.max() ?? 1)
            }
        }
        return 1
    }

    private static func outside(_ escaped: Unicode.Scalar) throws(ProbePatternError) -> String {
        switch escaped {
        case "d": "[0-9]"
        case "D": "[^0-9]"
        case "t": "\t"
        case "r": "\r"
        case "n": "\n"
        case "w", "W", "s", "S", "b", "B": "\\\(escaped)"
        case "0"..."9": throw ProbePatternError(message: "back references are not allowed")
        case "a"..."z", "A"..."Z": throw ProbePatternError(message: "the escape \\\(escaped) is not known")
        default: "\\\(escaped)"
        }
    }

    private static func set(_ characters: inout ArraySlice<Unicode.Scalar>) throws(ProbePatternError) -> String {
        var text = "["
        if characters.first == "^" { text.unicodeScalars.append(characters.removeFirst()) }
        if characters.first == "]" { text.unicodeScalars.append(characters.removeFirst()) }
        while let character = characters.popFirst() {
            switch character {
            case "]":
                return text + "]"
            case "[":
                text += "["
                // A class such as [:alpha:] ends with its own bracket.
                guard let mark = characters.first, mark == ":" || mark == "." || mark == "=" else { continue }
                text.unicodeScalars.append(characters.removeFirst())
                while let inner = characters.popFirst() {
                    text.unicodeScalars.append(inner)
                    if inner == mark, characters.first == "]" {
                        text.unicodeScalars.append(characters.removeFirst())
                        break
                    }
                }
            case "\\":
                guard let escaped = characters.popFirst() else {
                    throw ProbePatternError(message: "a backslash at the end")
                }
                text += try inside(escaped)
            default:
                text.unicodeScalars.append(character)
            }
        }
        throw ProbePatternError(message: "a [ without its ]")
    }

    private static func inside(_ escaped: Unicode.Scalar) throws(ProbePatternError) -> String {
        switch escaped {
        case "d": "0-9"
        case "w": "[:alnum:]_"
        case "s": "[:space:]"
        case "t": "\t"
        case "r": "\r"
        case "n": "\n"
        case "\\", ".", "/", "+", "*", "?", "(", ")", "{", "}", "|", "$", "\"", "'": "\(escaped)"
        default:
            throw ProbePatternError(
                message: "\\\(escaped) between brackets is not known: put ] first, - last and ^ not first"
            )
        }
    }
}
