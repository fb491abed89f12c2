// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the gateway of a target's path does.
package enum GatewayAnswer: Sendable, Hashable, CaseIterable {
    /// The path has none: the target is on the link, or this machine.
    case notNeeded
    /// Nobody has asked it.
    case unknown
    /// It answers.
    case answers
    /// It does not answer.
    case silent
}
