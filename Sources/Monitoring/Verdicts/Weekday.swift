// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A day of the week; raw values are ISO 8601's numbers, Monday is 1.
package enum Weekday: Int, Sendable, Hashable, CaseIterable {
    case monday = 1
    case tuesday
    case wednesday
    case thursday
    case friday
    case saturday
    case sunday
}
