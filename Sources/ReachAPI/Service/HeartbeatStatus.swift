// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a target says of itself with its heartbeat.
enum HeartbeatStatus: String, CaseIterable {
    case ok, fail
}
