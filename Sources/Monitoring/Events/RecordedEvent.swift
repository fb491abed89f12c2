// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Synchronization

/// An event as the log keeps it and everybody reads it: what filters and queries ask for, and beside it its data, which are
/// rendered once, when somebody wants them first.
package final class RecordedEvent: Sendable {
    /// A change of a target's state.
    package struct Transition: Sendable, Hashable {
        /// The state before.
        package let from: TargetState
        /// The state after; the same when only the cause moved.
        package let to: TargetState
        /// The reason's code; nil while it is up.
        package let reason: String?
        /// Where the fault lies; nil while it is up.
        package let cause: StateCause?

        /// Creates a transition.
        package init(from: TargetState, to: TargetState, reason: String?, cause: StateCause?) {
            self.from = from
            self.to = to
            self.reason = reason
            self.cause = cause
        }
    }

    /// The number.
    package let sequence: UInt64
    /// When it was recorded.
    package let at: Timestamp
    /// The kind.
    package let type: EventType
    /// The target's id; nil for the machine's own network, and for what speaks of no target.
    package let target: String?
    /// The target's group at that moment.
    package let group: String?
    /// The target's labels at that moment.
    package let tags: [String: String]
    /// Whether a delivery changed the status, and was not only another one.
    package let isStatusChanged: Bool
    /// The change of the state, of a ``EventType/state`` event.
    package let transition: Transition?
    /// What became of an incident, of an ``EventType/incident`` event of this run; a store keeps it beside the event.
    package let incident: IncidentChange?
    private let body: Mutex<Body>

    private enum Body {
        case rendered(data: [UInt8], supplement: [UInt8])
        case unrendered(Event, EventRenderer)
    }

    /// Creates an event.
    package init(
        sequence: UInt64,
        at moment: Timestamp,
        type: EventType,
        target: String? = nil,
        group: String? = nil,
        tags: [String: String] = [:],
        isStatusChanged: Bool = false,
        transition: Transition? = nil,
        data: [UInt8],
        supplement: [UInt8] = []
    ) {
        self.sequence = sequence
        at = moment
        self.type = type
        self.target = target
        self.group = group
        self.tags = tags
        self.isStatusChanged = isStatusChanged
        self.transition = transition
        incident = nil
        body = Mutex(.rendered(data: data, supplement: supplement))
    }

    /// What happened, as everybody reads it.
    init(_ event: Event, renderer: EventRenderer) {
        let settings = event.record?.target?.settings
        sequence = event.sequence
        at = event.at
        type = event.type
        target = settings?.id
        group = settings?.group
        tags = settings?.tags ?? [:]
        var isStatusChanged = false
        var transition: Transition?
        var incident: IncidentChange?
        switch event.content {
        case .reachability(let record, let previous, _): isStatusChanged = record.status != previous.status
        case .state(let record, let previous):
            transition = Transition(
                from: previous.state,
                to: record.state,
                reason: record.reason?.code.rawValue,
                cause: record.reason?.cause
            )
        case .incident(let change): incident = change
        case .path, .certificate, .routeChange, .target, .config: break
        }
        self.incident = incident
        self.isStatusChanged = isStatusChanged
        self.transition = transition
        body = Mutex(.unrendered(event, renderer))
    }

    /// The data that the stream sends, a JSON object in UTF-8.
    package var data: [UInt8] { rendered.data }

    /// What key-value observers and a fleet are told besides, a JSON object in UTF-8; empty when ``data`` says it all.
    package var supplement: [UInt8] { rendered.supplement }

    private var rendered: (data: [UInt8], supplement: [UInt8]) {
        body.withLock { body in
            switch body {
            case .rendered(let data, let supplement): return (data, supplement)
            case .unrendered(let event, let renderer):
                let rendered = renderer.render(event)
                body = .rendered(data: rendered.data, supplement: rendered.supplement)
                return rendered
            }
        }
    }

    /// What became of a declaration, of a ``EventType/target`` event.
    package var action: TargetAction? {
        guard type == .target else { return nil }
        return Self.text("action", in: data).flatMap(TargetAction.init)
    }

    /// Why the target's state is what it is, in a sentence; nil while it is up.
    package var detail: String? { reason.flatMap { Self.text("detail", in: $0) } }

    /// Why the target's state is what it is, a JSON object in UTF-8; nil while it is up.
    package var reason: [UInt8]? { (try? JSONReader.members(of: data))?["reason"].map { Array($0) } }

    /// What an event of a failing target that a fleet declared says for the fleet's incidents, see ``IncidentFault``; a JSON object in
    /// UTF-8.
    package var fault: [UInt8]? {
        guard type == .state, !supplement.isEmpty else { return nil }
        return (try? JSONReader.members(of: supplement))?["fault"].map { Array($0) }
    }

    /// A text among an object's members; nil in what is damaged.
    private static func text(_ name: String, in object: [UInt8]) -> String? {
        (try? JSONReader.members(of: object))?[name].flatMap { try? JSONReader.text(of: $0) }
    }

    /// Whether it speaks of a target or of the machine's own network, and not of the service or of an incident.
    package var hasSubject: Bool { type != .config && type != .incident }

    /// How many bytes it takes, about.
    package var cost: Int { 96 + data.count + supplement.count + (target?.utf8.count ?? 0) }
}

extension RecordedEvent: Equatable {
    /// Whether all parts are equal.
    package static func == (left: RecordedEvent, right: RecordedEvent) -> Bool {
        left === right
            || left.sequence == right.sequence && left.at == right.at && left.type == right.type
                && left.target == right.target && left.group == right.group && left.tags == right.tags
                && left.isStatusChanged == right.isStatusChanged && left.transition == right.transition
                && left.data == right.data && left.supplement == right.supplement
    }
}
