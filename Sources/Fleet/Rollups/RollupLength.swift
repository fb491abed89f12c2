// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The fleet's setting of what nodes store of their probes, for the latencies of uptimes and timelines; raw values are the fleet's
/// file's.
package enum RollupSetting: String, Sendable, Hashable, CaseIterable {
    /// Nothing.
    case off
    /// A bucket for each day, target and node.
    case days
    /// One for each hour besides.
    case hours

    /// What nodes store.
    package var lengths: [RollupLength] {
        switch self {
        case .off: []
        case .days: [.day]
        case .hours: [.hour, .day]
        }
    }
}

/// How much time a stored bucket stands for. Days are those of UTC.
package enum RollupLength: Sendable, Hashable, CaseIterable {
    /// An hour.
    case hour
    /// A day.
    case day

    /// The length in milliseconds.
    package var milliseconds: Int64 {
        switch self {
        case .hour: 3_600_000
        case .day: 86_400_000
        }
    }

    /// The length in microseconds, as the database stores it.
    var stored: Int64 { milliseconds * 1_000 }

    /// Reads the database's form; nil for another length.
    init?(stored: Int64) {
        guard let length = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = length
    }

    /// The beginning of the bucket that a moment is in, both in milliseconds since 1970.
    package func start(of moment: Int64) -> Int64 { moment - (moment % milliseconds + milliseconds) % milliseconds }
}
