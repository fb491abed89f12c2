// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Finds the most similar known name.
enum NearestName {
    /// The candidate with the fewest edits; nil when none is within two edits or a third of the word.
    static func find(_ word: String, among candidates: [String]) -> String? {
        let word = Array(word.utf8.prefix(64))
        let allowed = max(2, word.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(word, Array(candidate.utf8))
            if distance <= allowed, distance < candidate.utf8.count, distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// The Levenshtein distance.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (line, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in 0..<right.count {
                let substitution = diagonal + (byte == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substitution, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
