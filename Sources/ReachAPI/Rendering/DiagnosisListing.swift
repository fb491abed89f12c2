// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// The checks of a machine: the output of `reachd doctor --json`.
package enum DiagnosisListing {
    /// The outcome of a check.
    package enum Outcome: String, Sendable, Hashable, CaseIterable, Comparable {
        /// No problem.
        case ok
        /// A feature is missing or limited.
        case warn
        /// reachd cannot run.
        case fail

        /// The better outcome is the lesser.
        package static func < (left: Outcome, right: Outcome) -> Bool { left.weight < right.weight }

        private var weight: Int {
            switch self {
            case .ok: 0
            case .warn: 1
            case .fail: 2
            }
        }
    }

    /// One check.
    package struct Check: Sendable, Hashable {
        /// A stable name.
        package var id: String
        /// The outcome.
        package var outcome: Outcome
        /// The finding, for people.
        package var detail: String
        /// What to do about it; nil for nothing.
        package var advice: String?

        /// Creates a check.
        package init(_ id: String, _ outcome: Outcome, _ detail: String, advice: String? = nil) {
            self.id = id
            self.outcome = outcome
            self.detail = detail
            self.advice = advice
        }
    }

    /// `{"outcome": …, "checks": […]}`, without a line feed.
    package static func document(_ checks: [Check]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("outcome", (checks.map(\.outcome).max() ?? .ok).rawValue)
            writer.key("checks")
            writer.array(checks) { writer, check in
                writer.object { writer in
                    writer.member("id", check.id)
                    writer.member("outcome", check.outcome.rawValue)
                    writer.member("detail", check.detail)
                    if let advice = check.advice { writer.member("advice", advice) }
                }
            }
        }
        return writer.bytes
    }
}
