// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths
import ServerTrust

/// One event as memory holds it: a number, a moment, and references to the records that it speaks of. ``RecordedEvent`` is what
/// is made of it for whoever reads the log.
package struct Event: Sendable {
    /// What an event tells.
    package enum Content: Sendable {
        /// A delivery: the record after it and the one before it.
        case reachability(StatusRecord, previous: StatusRecord, trigger: ChangeTrigger)
        /// A change of the path. `isDelivered` says that a ``reachability`` event told of the same verdict.
        case path(StatusRecord, previous: StatusRecord, trigger: ChangeTrigger, isDelivered: Bool)
        /// A change of the state.
        case state(StatusRecord, previous: StatusRecord)
        /// A change of the certificate that the target shows. Indirect: it is rare, and would make every event as large.
        indirect case certificate(StatusRecord, CertificateChange)
        /// A change of the route to a target that responds. Indirect like a certificate's.
        indirect case routeChange(StatusRecord, RouteChange)
        /// A change of the declaration.
        case target(TargetAction, StatusRecord)
        /// A new configuration, or a refused one.
        case config(ConfigurationChange)
        /// What became of an incident.
        case incident(IncidentChange)
    }

    /// The number: one more than that of the event before.
    package let sequence: UInt64
    /// When it was recorded.
    package let at: Timestamp
    /// The content.
    package let content: Content

    init(sequence: UInt64, at: Timestamp, content: Content) {
        self.sequence = sequence
        self.at = at
        self.content = content
    }

    /// The same event with a larger number, also where it tells of it.
    func moved(by distance: UInt64) -> Event {
        var content = content
        if case .target(let action, let record) = content {
            content = .target(action, record.moved(by: distance, version: record.version))
        }
        return Event(sequence: sequence + distance, at: at, content: content)
    }

    /// The event's kind.
    package var type: EventType {
        switch content {
        case .reachability: .reachability
        case .path: .path
        case .state: .state
        case .certificate: .certificate
        case .routeChange: .routeChange
        case .target: .target
        case .config: .config
        case .incident: .incident
        }
    }

    /// The record after the event, absent for events that speak of no target and not of the network.
    package var record: StatusRecord? {
        switch content {
        case .reachability(let record, _, _), .path(let record, _, _, _), .state(let record, _), .target(_, let record),
            .certificate(let record, _), .routeChange(let record, _):
            record
        case .config, .incident: nil
        }
    }

    /// What the event holds in memory, estimated in bytes; a record counts where it was made.
    var cost: Int {
        let own = 96
        switch content {
        case .reachability(let record, _, _):
            return own + Self.recordCost + (record.path?.resolution.addresses.count ?? 0) * 32
        case .path(let record, _, _, let isDelivered):
            return isDelivered ? own : own + Self.recordCost + (record.path?.resolution.addresses.count ?? 0) * 32
        case .state(let record, _):
            // A judge's decision makes a record of its own; else the event beside this one told of it.
            return record.evaluation == nil ? own : own + Self.recordCost
        case .certificate(_, let change):
            // Names that differ stand in two lists and share their texts.
            return own + (change.previous.names + change.current.names).reduce(1024) { $0 + $1.utf8.count + 32 }
        case .routeChange(_, let change):
            return own + (change.previous + change.current).reduce(64) { $0 + 32 + $1.count * 24 }
        case .target(_, let record):
            let settings = record.target?.settings
            return own + Self.recordCost + (settings?.tags.count ?? 0) * 64 + (settings?.text.utf8.count ?? 0)
        case .config(let change):
            return own + (change.faults + change.settings).reduce(0) { $0 + $1.utf8.count + 16 }
        case .incident(let change): return own + change.cost
        }
    }

    private static let recordCost = 288
}

/// The kinds of event that the log keeps; raw values are the HTTP contract's.
package enum EventType: String, Sendable, Hashable, CaseIterable {
    /// A delivery in SystemConfiguration's sense (R57), AFNetworking's did-change notification (R20).
    case reachability
    /// Something of the path changed: interface, gateway, source address, or what no delivery tells.
    case path
    /// A target went from one state to another.
    case state
    /// A target shows another certificate than before.
    case certificate
    /// The route to a target that responds is another than before.
    case routeChange = "route_change"
    /// A target was added, changed or removed.
    case target
    /// The configuration was loaded again, or refused.
    case config
    /// An incident was opened, changed or closed.
    case incident
    /// In a fleet: a location reports another state of a target that several locations watch.
    case vote
    /// In a fleet: a node joined, left, was lost or returned, or its targets are moved away.
    case node
    /// In a fleet: a location became isolated, or is not any more.
    case location
}

/// What happened to a target's declaration; raw values are the HTTP contract's.
package enum TargetAction: String, Sendable, Hashable, CaseIterable {
    /// It is new.
    case added
    /// Its settings changed.
    case updated
    /// It is gone.
    case removed
}
