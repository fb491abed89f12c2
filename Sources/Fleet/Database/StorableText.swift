// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Texts that PostgreSQL can store.
enum StorableText {
    /// The text with a replacement for each zero byte, and at most so many bytes, cut between characters' scalars.
    static func text(_ text: String, limit: Int = .max) -> String {
        guard text.utf8.count > limit || text.utf8.contains(0) else { return text }
        var scalars = String.UnicodeScalarView()
        var size = 0
        for scalar in text.unicodeScalars {
            let stored = scalar.value == 0 ? "\u{FFFD}" : scalar
            size += UTF8.width(stored)
            guard size <= limit else { break }
            scalars.append(stored)
        }
        return String(scalars)
    }
}
