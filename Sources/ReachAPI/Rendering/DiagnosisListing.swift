// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// What a machine allows, one thing after the other: what `reachd doctor --json` prints.
package enum DiagnosisListing {
    /// How a thing stands.
    package enum Outcome: String, Sendable, Hashable, CaseIterable, Comparable {
        /// As it should.
        case ok
        /// Something will not work, or not as well.
        case warn
        /// reachd will not work.
        case fail

        /// The better one is the lesser.
        package static func < (left: Outcome, right: Outcome) -> Bool { left.weight < right.weight }

        private var weight: Int {
            switch self {
            case .ok: 0
            case .warn: 1
            case .fail: 2
            }
        }
    }

    /// One thing.
    package struct Check: Sendable, Hashable {
        /// A stable name.
        package var id: String
        /// How it stands.
        package var outcome: Outcome
        /// What was found, for people.
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
