// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// How bad a change is; raw values are the words of messages and of the configuration.
package enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Good to know.
    case info
    /// Something is not as it should be, or cannot be judged.
    case warning
    /// Something does not work.
    case critical

    /// How bad a state is.
    package init(_ state: TargetState) {
        switch state {
        case .down: self = .critical
        case .degraded, .unreachable: self = .warning
        case .up, .unknown, .paused, .maintenance: self = .info
        }
    }

    private var rank: Int {
        switch self {
        case .info: 0
        case .warning: 1
        case .critical: 2
        }
    }

    /// The less bad is the lesser.
    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
}
