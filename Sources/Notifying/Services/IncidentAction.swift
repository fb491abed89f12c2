// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a message does at a service that keeps incidents itself.
enum IncidentAction: Sendable, Hashable, CaseIterable {
    /// Opens the incident, or says more of an open one: such services know it by its key.
    case open
    case acknowledge
    case close
}

extension MessageCard {
    /// What the message does at a service that keeps incidents itself.
    var action: IncidentAction {
        switch message.incident?.phase {
        case .opened, .updated, .reminder, nil: .open
        case .acknowledged: .acknowledge
        case .closed: .close
        }
    }

    /// The key that the messages of an incident share; without an incident the message's own. At most 64 characters of
    /// `[A-Za-z0-9._-]`.
    var key: String { message.incident?.key ?? id }

    /// The target that it is about, or reachd, which is where several were seen to fail.
    var source: String { message.target?.label ?? message.seenFrom ?? "reachd" }
}
