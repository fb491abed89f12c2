// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is wrong with a text by itself; the reader adds the place and the text.
package struct Complaint: Error {
    let code: ConfigurationFault.Code
    /// Goes on after the text in quotes: `is not a host name`.
    let words: String
    let hint: String?

    init(_ code: ConfigurationFault.Code, _ words: String, hint: String? = nil) {
        self.code = code
        self.words = words
        self.hint = hint
    }

    init(_ words: String, hint: String? = nil) {
        self.init(.invalidValue, words, hint: hint)
    }
}
