// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why something is not healthy, in a few words.
struct HealthFailure: Error {
    let words: String

    init(_ words: String) {
        self.words = words
    }
}
