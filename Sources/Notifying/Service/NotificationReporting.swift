// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Who knows how receivers are told. Any thread.
package protocol NotificationReporting: Sendable {
    /// How each is, in the order of the configuration.
    var statuses: [NotificationStatus] { get }
}
