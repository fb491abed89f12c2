// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A reason with its detail, before there is a result to put it in.
struct ProbeFault: Error, Hashable {
    let reason: ProbeReason
    let detail: String
}
