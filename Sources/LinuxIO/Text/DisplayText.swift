// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which characters texts of others may have where people read them: the one place that decides it, for terminals, logs,
/// pictures and what is refused in names.
package enum DisplayText {
    /// Whether a character is shown as it is; others are escaped: control characters of both sets (C0, C1), what turns the
    /// direction of a line or ends it, and what has no shape.
    package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value >= 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }

    /// Whether names and other single lines that people declare may have a character. Joiners and the like may be needed to
    /// write a language or a picture; control characters, line ends and controls of the direction are not.
    package static func isAllowedInLine(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value >= 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return false
        default: return !scalar.properties.isBidiControl
        }
    }

    /// The text as one line, with a space for each character that a single line does not show.
    ///
    /// - Parameter limit: Unicode scalars; a single character can be as long as a request.
    package static func line(_ text: String, limit: Int) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: line.append(" ")
            default: line.append(scalar)
            }
        }
        return String(line)
    }
}
