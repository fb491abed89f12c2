// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a badge is to show.
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
