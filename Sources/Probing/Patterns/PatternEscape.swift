// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the escapes of one letter stand for in RE2 and Go.
package enum PatternEscape {
    /// The control character of a letter behind a backslash, such as `n`; nil for another letter.
    package static func control(_ letter: Unicode.Scalar) -> Unicode.Scalar? {
        switch letter {
        case "a": "\u{7}"
        case "f": "\u{C}"
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        case "v": "\u{B}"
        default: nil
        }
    }
}
