// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import ServerTrust

/// What a message does at a service that keeps incidents itself.
enum IncidentAction: Sendable, Hashable, CaseIterable {
    /// Opens the incident, or says more of an open one: such services know it by its key.
    case open
    case acknowledge
    case close
}

extension MessageCard {
    /// What the message does at a service that keeps incidents itself. Without an incident its status decides.
    var action: IncidentAction {
        switch message.incident?.phase {
        case .opened, .updated, .reminder: .open
        case .acknowledged: .acknowledge
        case .closed: .close
        case nil: message.status == .resolved ? .close : .open
        }
    }

    /// The key that the messages of an incident share; without an incident that of the target, or the message's own.
    /// At most 64 characters of `[A-Za-z0-9._-]`.
    var key: String {
        if let incident = message.incident { return incident.key }
        guard message.kind == .state, let target = message.target?.target,
            let digest = SHA256.digest(of: Array(target.utf8))
        else { return message.kind == .outage ? "outage" : id }
        return "target-\(PrintableBytes.hexadecimal(Array(digest.prefix(16))))"
    }

    /// The target that it is about, or reachd, which is where several were seen to fail.
    var source: String { message.target?.label ?? message.seenFrom ?? "reachd" }
}
