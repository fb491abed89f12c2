// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What must hold for the body of a response.
package enum HTTPBodyExpectation: Sendable, Hashable {
    /// The text is in it.
    case contains(String)
    /// The text is not in it.
    case doesNotContain(String)
    /// It matches.
    case matches(ProbePattern)
    /// It does not match.
    case doesNotMatch(ProbePattern)

    /// What is wrong with a body; nil for nothing.
    func complaint(about body: [UInt8]) -> String? {
        switch self {
        case .contains(let text):
            ByteSearch.contains(body, Array(text.utf8)) ? nil : "\(PrintableBytes.quote(text.utf8)) is not in the body"
        case .doesNotContain(let text):
            ByteSearch.contains(body, Array(text.utf8)) ? "\(PrintableBytes.quote(text.utf8)) is in the body" : nil
        case .matches(let pattern):
            pattern.matches(body) ? nil : "the body does not match \(PrintableBytes.quote(pattern.text.utf8))"
        case .doesNotMatch(let pattern):
            pattern.matches(body) ? "the body matches \(PrintableBytes.quote(pattern.text.utf8))" : nil
        }
    }
}
