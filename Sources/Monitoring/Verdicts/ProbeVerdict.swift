// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What one probe's result says by itself, before any damping.
public enum ProbeVerdict: String, Sendable, Hashable, CaseIterable {
    /// The target answered as it should.
    case success
    /// The target answered, not as it should: too late, a certificate near its end, some of its addresses failing.
    case degraded
    /// The target did not answer, or with something that is a failure.
    case failure

    /// The state that nothing but this result would make.
    var state: TargetState {
        switch self {
        case .success: .up
        case .degraded: .degraded
        case .failure: .down
        }
    }
}
