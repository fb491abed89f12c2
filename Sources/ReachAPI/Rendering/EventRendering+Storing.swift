// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
public import Monitoring
import NetworkPaths

/// Makes of events what a log keeps that outlives the process.
public enum EventRecording {
    /// Renders events as the stream sends them to who asks for nothing special. Any thread.
    public static func render(_ events: [Event]) -> [StoredEvent] {
        var rendering = EventRendering(epoch: "", query: EventQuery())
        return events.map { rendering.stored($0) }
    }
}

extension EventRendering {
    /// An event as a log keeps it.
    fileprivate mutating func stored(_ event: Event) -> StoredEvent {
        if case .recalled(let stored) = event.content { return stored }
        var writer = JSONWriter(reserving: 1536)
        writer.object { members(of: event, to: &$0) }
        var isStatusChanged = false
        var transition: StoredEvent.Transition?
        switch event.content {
        case .reachability(let record, let previous, _): isStatusChanged = record.status != previous.status
        case .state(let record, let previous):
            transition = StoredEvent.Transition(
                from: previous.state,
                to: record.state,
                reason: record.reason?.code.rawValue,
                cause: record.reason?.cause
            )
        default: break
        }
        let settings = event.record?.target?.settings
        return StoredEvent(
            sequence: event.sequence,
            at: event.at,
            type: event.type,
            target: settings?.id,
            group: settings?.group,
            tags: settings?.tags ?? [:],
            isStatusChanged: isStatusChanged,
            transition: transition,
            data: writer.bytes,
            supplement: Self.supplement(of: event)
        )
    }

    /// What the data lacks of what key-value observers are told: `RecalledValues` reads it.
    private static func supplement(of event: Event) -> [UInt8] {
        var writer = JSONWriter(reserving: 0)
        switch event.content {
        case .reachability(let record, let previous, _):
            guard let path = previous.path else { return [] }
            let hasOtherPath = !ObservedKey.path.isEqual(previous, record)
            let hasOtherResolution = path.resolution != record.path?.resolution
            guard hasOtherPath || hasOtherResolution else { return [] }
            writer.object { writer in
                if hasOtherPath { writer.member("path") { $0.pathMembers(path, supportsDNS: previous.supportsDNS) } }
                if hasOtherResolution { writer.member("resolution") { $0.resolutionMembers(path.resolution) } }
            }
        case .path(let record, _, _, let isDelivered):
            guard !isDelivered else { return [] }
            writer.object { writer in
                guard let path = record.path else { return }
                writer.member("resolution") { $0.resolutionMembers(path.resolution) }
            }
        default: break
        }
        return writer.bytes
    }
}
