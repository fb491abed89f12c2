// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// What receivers see of an event of the log.
enum LogEntry: Sendable, Hashable {
    /// A target changed its state.
    case change(StateChange)
    /// A target is gone: a change to `unknown` that nothing follows.
    case removal(StateChange)
    /// A target's declaration is another: its group and tags may be.
    case update(StateChange)
    /// An incident of this node changed.
    case incident(IncidentEntry)
    /// A target shows another certificate.
    case certificate(CertificateEntry)
    /// Nothing that is delivered.
    case other(id: EventID, at: Timestamp)

    /// - Parameters:
    ///   - seenFrom: the location that alone sees it so; nil: it is so.
    ///   - name: Returns the name of a target by its id.
    init(_ event: RecordedEvent, epoch: String, seenFrom: String? = nil, name: (String) -> String? = { _ in nil }) {
        if let incident = IncidentEntry(event, epoch: epoch) {
            self = .incident(incident)
            return
        }
        if var certificate = CertificateEntry(event, epoch: epoch) {
            (certificate.change.name, certificate.change.seenFrom) = (name(certificate.change.target), seenFrom)
            self = .certificate(certificate)
            return
        }
        var declaration = StateChange(declaration: event, epoch: epoch)
        declaration?.seenFrom = seenFrom
        let entry: LogEntry? =
            switch event.action {
            case .removed: declaration.map { .removal($0.ended(.removed)) }
            case .updated: declaration.map { .update($0) }
            case .added, nil:
                StateChange(event, epoch: epoch).map { change in
                    var change = change
                    (change.name, change.seenFrom) = (name(change.target), seenFrom)
                    return .change(change)
                }
            }
        self = entry ?? .other(id: EventID(epoch: epoch, sequence: event.sequence), at: event.at)
    }

    var id: EventID {
        switch self {
        case .change(let change), .removal(let change), .update(let change): change.id
        case .certificate(let entry): entry.change.id
        case .incident(let entry): entry.id
        case .other(let id, _): id
        }
    }

    var sequence: UInt64 { id.sequence }

    var at: Timestamp {
        switch self {
        case .change(let change), .removal(let change), .update(let change): change.at
        case .certificate(let entry): entry.change.at
        case .incident(let entry): entry.at
        case .other(_, let moment): moment
        }
    }
}

/// A change of an incident in the log.
struct IncidentEntry: Sendable, Hashable {
    let id: EventID
    let at: Timestamp
    /// The id of the incident.
    let incident: String
    let action: IncidentChange.Action

    init(id: EventID, at moment: Timestamp, incident: String, action: IncidentChange.Action) {
        (self.id, at, self.incident, self.action) = (id, moment, incident, action)
    }

    /// Reads an event; nil for any other.
    init?(_ event: RecordedEvent, epoch: String) {
        guard event.type == .incident else { return nil }
        id = EventID(epoch: epoch, sequence: event.sequence)
        at = event.at
        if let change = event.incident {
            (incident, action) = (change.incident.id, change.action)
            return
        }
        // An event of an earlier run.
        guard let members = try? JSONReader.members(of: event.data),
            let action = members["action"].flatMap({ try? JSONReader.text(of: $0) }).flatMap(
                IncidentChange.Action.init
            ),
            let incident = members["incident"].flatMap({ try? JSONReader.members(of: Array($0)) })?["id"]
                .flatMap({ try? JSONReader.text(of: $0) })
        else { return nil }
        (self.incident, self.action) = (incident, action)
    }
}
