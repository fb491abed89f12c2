// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Texts as HTML and XML.
package enum Markup {
    /// The text as content or as a quoted attribute. Characters that XML 1.0 forbids, and those that turn or hide text, become
    /// U+FFFD; line feeds stay.
    package static func escape(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n": result += "\n"
            case let scalar where DisplayText.isAllowedInLine(scalar) && scalar.value & 0xFFFE != 0xFFFE:
                result.unicodeScalars.append(scalar)
            default: result += "\u{FFFD}"
            }
        }
        return result
    }
}
