// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The two delays of an activity indicator; each is running at most once.
public enum ActivityTimer: String, Sendable, Hashable, CaseIterable {
    /// Runs in ``ActivityState/delayingStart``, for 1.0 s in the original (contract A1).
    case activation
    /// Runs in ``ActivityState/delayingEnd``, for 0.17 s in the original (contract A1).
    case completion
}
