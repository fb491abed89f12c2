// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// The windows for uptime; raw values are the HTTP contract's.
enum UptimeWindow: String, CaseIterable {
    case hour = "1h"
    case day = "24h"
    case week = "7d"
    case month = "30d"
    case quarter = "90d"

    /// The windows of `/targets/{id}/uptime`.
    static let reported: [UptimeWindow] = [.hour, .day, .week, .month]

    var length: Duration {
        switch self {
        case .hour: .seconds(3_600)
        case .day: .seconds(86_400)
        case .week: .seconds(7 * 86_400)
        case .month: .seconds(30 * 86_400)
        case .quarter: .seconds(90 * 86_400)
        }
    }

    /// The time up to a moment, in milliseconds since 1970.
    func range(until now: Timestamp) -> Range<Int64> {
        now.milliseconds - length.components.seconds * 1000..<now.milliseconds
    }

    /// The length of a slice of the timeline, in milliseconds: one stored length, or a multiple.
    var sliceLength: Int64 {
        switch self {
        case .hour: 60_000
        case .day: 3_600_000
        case .week: 6 * 3_600_000
        case .month, .quarter: 86_400_000
        }
    }

    /// The slices of the timeline, up to the one that contains a moment, in milliseconds since 1970; each begins at a
    /// multiple of its length.
    func slices(until now: Timestamp) -> [Range<Int64>] {
        let count = length.components.seconds * 1000 / sliceLength
        let end = (now.milliseconds / sliceLength + 1) * sliceLength
        return (0..<count).map { index in
            let start = end - (count - index) * sliceLength
            return start..<start + sliceLength
        }
    }
}

/// The query of a badge.
struct BadgeQuery: Equatable {
    /// The kinds of badge.
    enum Kind: String, CaseIterable {
        case state
        case uptime
    }

    /// In Unicode scalars: a badge is one short line.
    static let longestLabel = 64

    let kind: Kind
    let window: UptimeWindow
    /// The text on the left; nil for the target's name.
    let label: String?

    init(_ reader: inout QueryReader) {
        let window = reader.cases("window", as: UptimeWindow.self).first
        let kind = reader.cases("type", as: Kind.self).first
        if kind == .state, window != nil { reader.fault("window", "It needs `type=uptime`.") }
        self.kind = kind ?? (window == nil ? .state : .uptime)
        self.window = window ?? .day
        label = reader.one("label").flatMap { $0.isEmpty ? nil : $0 }
    }
}
