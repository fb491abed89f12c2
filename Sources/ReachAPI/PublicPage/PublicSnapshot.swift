// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What the public status page shows: names, states and times, and nothing that could hold an address.
struct PublicSnapshot: Sendable, Hashable {
    /// A target.
    struct Service: Sendable, Hashable {
        /// What the page calls it.
        let name: String
        let state: TargetState
        /// Its last days, oldest first; nil while they are not known.
        var bars: PublicBars?
    }

    /// A group of targets.
    struct Group: Sendable, Hashable {
        let name: String
        var services: [Service]
    }

    /// An incident of the groups that are shown.
    struct Incident: Sendable, Hashable {
        /// A text of a person for the public.
        struct Announcement: Sendable, Hashable {
            let text: String
            let at: Timestamp
        }

        let id: String
        let title: String
        let openedAt: Timestamp
        /// When its present or last outage began.
        let begunAt: Timestamp
        /// nil while it is open.
        let closedAt: Timestamp?
        /// Newest first.
        let announcements: [Announcement]

        /// When anything of it changed last.
        var updatedAt: Timestamp { ([begunAt, closedAt ?? begunAt] + announcements.map(\.at)).max() ?? openedAt }
    }

    /// A declared maintenance that is on, or comes within a week.
    struct Maintenance: Sendable, Hashable {
        let group: String
        let services: [String]
        /// nil while it is on.
        let from: Timestamp?
        let to: Timestamp
    }

    let settings: PublicPageSettings
    /// Since when the machine that watches cannot reach services because of its own network; nil while it can.
    var blindSince: Timestamp?
    var groups: [Group] = []
    /// How many targets are not shown because there are too many.
    var hidden = 0
    /// The states of all targets, also of those that are not shown.
    var states: Set<TargetState> = []
    /// The newest first.
    var incidents: [Incident] = []
    /// The next first.
    var maintenance: [Maintenance] = []

    /// How things are, in one sentence, and the state for its colour.
    var headline: (text: String, state: TargetState) {
        func sentence(_ state: TargetState, _ words: String) -> String {
            states == [state] ? "All services \(words)" : "Some services \(words)"
        }
        // What is on the link may be known all the same.
        if let blindSince, states.isSubset(of: [.unknown, .paused, .maintenance]) {
            let time = Self.minute(blindSince)
            return ("No current data: our monitoring has lost its connection since \(time)", .unknown)
        }
        if states.contains(.down) { return (sentence(.down, "are down"), .down) }
        if states.contains(.unreachable) { return (sentence(.unreachable, "cannot be reached"), .unreachable) }
        if states.contains(.degraded) { return (sentence(.degraded, "are degraded"), .degraded) }
        if states.contains(.maintenance) { return ("Maintenance in progress", .maintenance) }
        if states == [.up] { return ("All services are up", .up) }
        guard states.contains(.up) else { return ("Status unknown", .unknown) }
        let others = states.contains(.unknown) ? "the status of others is unknown" : "others are not monitored"
        return ("Some services are up, \(others)", .unknown)
    }

    /// `2026-11-22 10:15 UTC`
    static func minute(_ moment: Timestamp) -> String {
        let text = moment.description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }

    /// A state in a word.
    static func word(_ state: TargetState) -> String {
        switch state {
        case .up: "Up"
        case .degraded: "Degraded"
        case .down: "Down"
        case .unreachable: "Not reachable"
        case .maintenance: "Maintenance"
        case .paused: "Not monitored"
        case .unknown: "Unknown"
        }
    }
}
