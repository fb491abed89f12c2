// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a text is no template.
package struct TemplateError: Error, Sendable, Hashable {
    /// What is wrong, in words.
    package let message: String
    /// What to do about it.
    package let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
