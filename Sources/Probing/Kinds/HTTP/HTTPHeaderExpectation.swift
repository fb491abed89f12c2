// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What must hold for a header of a response.
package struct HTTPHeaderExpectation: Sendable, Hashable {
    /// What must hold.
    package enum Condition: Sendable, Hashable {
        /// It is there.
        case present
        /// It is not there.
        case absent
        /// It is there and one of its values matches.
        case matches(ProbePattern)
        /// None of its values matches, or it is not there.
        case doesNotMatch(ProbePattern)
    }

    /// The header's name, in any case.
    package var name: String
    /// What must hold.
    package var condition: Condition

    /// Creates an expectation.
    package init(_ name: String, _ condition: Condition) {
        self.name = name
        self.condition = condition
    }

    /// What is wrong with a header's values; nil for nothing.
    func complaint(about values: [[UInt8]]) -> String? {
        switch condition {
        case .present: values.isEmpty ? "there is no header \(name)" : nil
        case .absent: values.isEmpty ? nil : "there is a header \(name)"
        case .matches(let pattern):
            if values.isEmpty {
                "there is no header \(name)"
            } else if values.contains(where: pattern.matches) {
                nil
            } else {
                "the header \(name) is \(PrintableBytes.quote(values[0]))"
            }
        case .doesNotMatch(let pattern):
            values.first(where: pattern.matches).map { "the header \(name) is \(PrintableBytes.quote($0))" }
        }
    }
}
