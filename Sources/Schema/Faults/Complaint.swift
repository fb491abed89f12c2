// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is wrong with a text by itself; the reader adds the place and the text.
package struct Complaint: Error {
    package let code: ConfigurationFault.Code
    /// Goes on after the text in quotes: `is not a host name`.
    package let words: String
    package let hint: String?

    package init(_ code: ConfigurationFault.Code, _ words: String, hint: String? = nil) {
        self.code = code
        self.words = words
        self.hint = hint
    }

    package init(_ words: String, hint: String? = nil) {
        self.init(.invalidValue, words, hint: hint)
    }
}
