// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Shell-like patterns with `*` and `?`, over bytes.
enum Glob {
    /// Whether a text matches a pattern as a whole; time grows with the product of both lengths at worst.
    static func matches(_ pattern: String, _ text: String) -> Bool {
        let pattern = Array(pattern.utf8)
        let text = Array(text.utf8)
        var (inPattern, inText) = (0, 0)
        var star: (inPattern: Int, inText: Int)?
        while inText < text.count {
            if inPattern < pattern.count, pattern[inPattern] == UInt8(ascii: "*") {
                star = (inPattern, inText)
                inPattern += 1
            } else if inPattern < pattern.count,
                pattern[inPattern] == UInt8(ascii: "?") || pattern[inPattern] == text[inText]
            {
                inPattern += 1
                inText += 1
            } else if let last = star {
                inPattern = last.inPattern + 1
                inText = last.inText + 1
                star = (last.inPattern, inText)
            } else {
                return false
            }
        }
        return pattern[inPattern...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
