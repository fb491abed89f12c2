// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import NetworkPaths
import Synchronization

/// Says what happened in the words of the HTTP interface. Any thread.
final class EventRenderer: Sendable {
    private let state = Mutex((body: EventBody(), writer: JSONWriter(reserving: 4096)))

    /// The data of an event, and what they lack of what key-value observers receive.
    func render(_ event: Event) -> (data: [UInt8], supplement: [UInt8]) {
        state.withLock { state in
            state.writer.object { state.body.members(of: event, to: &$0) }
            return (state.writer.take(), state.body.supplement(of: event))
        }
    }
}

/// What events say, with what was written last: when a link goes a thousand targets get the same verdict one after the other.
private struct EventBody {
    private var lastVerdict: (verdict: RenderedVerdict, bytes: [UInt8], supplement: [UInt8])?

    /// What the data lacks of what key-value observers and a fleet receive.
    func supplement(of event: Event) -> [UInt8] {
        switch event.content {
        // Rendered with the data.
        case .reachability: return lastVerdict?.supplement ?? []
        // For the fleet's incidents, to which the node reports it.
        case .state(let record, _):
            guard record.target?.settings.origin == .fleet, let fault = IncidentFault(record) else { return [] }
            var writer = JSONWriter(reserving: 512)
            writer.object { writer in
                writer.key("fault")
                writer.value(rendered: fault.stored)
            }
            return writer.take()
        case .path(let record, _, _, isDelivered: false):
            var writer = JSONWriter(reserving: 128)
            writer.object { writer in
                guard let path = record.shownPath else { return }
                writer.member("resolution") { $0.resolutionMembers(path.resolution) }
            }
            return writer.take()
        default: return []
        }
    }

    private static func supplement(to record: StatusRecord, previous: StatusRecord) -> [UInt8] {
        guard let path = previous.shownPath else { return [] }
        let hasOtherPath = PathField.changed(from: previous, to: record).contains { $0 != .resolution }
        let hasOtherResolution = path.resolution != record.shownPath?.resolution
        guard hasOtherPath || hasOtherResolution else { return [] }
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            if hasOtherPath { writer.member("path") { $0.pathMembers(path, supportsDNS: previous.supportsDNS) } }
            if hasOtherResolution { writer.member("resolution") { $0.resolutionMembers(path.resolution) } }
        }
        return writer.take()
    }

    // MARK: Data

    mutating func members(of event: Event, to writer: inout JSONWriter) {
        switch event.content {
        case .reachability(let record, let previous, let trigger):
            reachability(record, previous: previous, trigger: trigger, to: &writer)
        case .path(let record, let previous, let trigger, _):
            path(record, previous: previous, trigger: trigger, to: &writer)
        case .state(let record, let previous):
            writer.subject(record)
            writer.member("from", previous.state.rawValue)
            writer.member("to", record.state.rawValue)
            self.reason(record, to: &writer)
            writer.member("previous_since", previous.since)
        case .certificate(let record, let change):
            writer.subject(record)
            writer.certificateChangeMembers(change)
        case .routeChange(let record, let change):
            writer.subject(record)
            writer.routeChangeMembers(change)
        case .target(let action, let record):
            writer.member("action", action.rawValue)
            writer.key("target")
            writer.target(record, detail: .brief)
        case .config(let change): configuration(change, to: &writer)
        case .incident(let change): writer.incidentChangeMembers(change)
        }
        writer.member("at", event.at)
    }

    private mutating func reachability(
        _ record: StatusRecord,
        previous: StatusRecord,
        trigger: ChangeTrigger,
        to writer: inout JSONWriter
    ) {
        writer.subject(record)
        let verdict = RenderedVerdict(record, previous: previous, trigger: trigger)
        if let lastVerdict, lastVerdict.verdict == verdict { return writer.members(rendered: lastVerdict.bytes) }
        let start = writer.bytes.count
        let path = record.shownPath
        writer.systemConfigurationMembers(path)
        writer.pathAndResolution(path, supportsDNS: record.supportsDNS)
        writer.member("previous") { writer in
            writer.member("status", previous.status.name)
            writer.member("status_code", previous.status.rawValue)
            if let flags = previous.path?.flags { writer.member("flags") { $0.flagsMembers(flags) } }
        }
        writer.member("status_changed", record.status != previous.status)
        self.trigger(trigger, to: &writer)
        reason(record, to: &writer)
        let bytes = Array(writer.bytes[start...])
        lastVerdict = (verdict, bytes, Self.supplement(to: record, previous: previous))
    }

    private func path(
        _ record: StatusRecord,
        previous: StatusRecord,
        trigger: ChangeTrigger,
        to writer: inout JSONWriter
    ) {
        let changed = PathField.changed(from: previous, to: record)
        writer.subject(record)
        writer.key("changed")
        writer.array(changed) { $0.string($1.rawValue) }
        pathAndResolution(record, withResolution: changed.contains(.resolution), to: &writer)
        writer.member("previous") {
            pathAndResolution(previous, withResolution: changed.contains(.resolution), to: &$0)
        }
        self.trigger(trigger, to: &writer)
    }

    private func pathAndResolution(_ record: StatusRecord, withResolution: Bool, to writer: inout JSONWriter) {
        guard let path = record.shownPath else { return }
        writer.member("path") { $0.pathMembers(path, supportsDNS: record.supportsDNS) }
        if withResolution { writer.member("resolution") { $0.resolutionMembers(path.resolution) } }
    }

    private func trigger(_ trigger: ChangeTrigger, to writer: inout JSONWriter) {
        writer.member("trigger") { writer in
            writer.member("kind", trigger.kind.rawValue)
            if let interface = trigger.interface { writer.member("interface", interface) }
        }
    }

    private func reason(_ record: StatusRecord, to writer: inout JSONWriter) {
        guard let reason = record.reason else { return }
        writer.member("reason") { $0.reasonMembers(reason) }
        if let cause = reason.cause { writer.member("cause", cause.rawValue) }
    }

    private func configuration(_ change: ConfigurationChange, to writer: inout JSONWriter) {
        writer.member("action", change.action.rawValue)
        switch change.action {
        case .reloaded, .applied:
            writer.member("targets") { writer in
                writer.member("added", change.targets.added)
                writer.member("updated", change.targets.updated)
                writer.member("removed", change.targets.removed)
                writer.member("unchanged", change.targets.unchanged)
            }
            writer.key("settings")
            writer.array(change.settings) { $0.string($1) }
        case .rejected:
            writer.key("faults")
            writer.array(change.faults) { $0.string($1) }
            writer.member("fault_count", change.faultCount)
        }
    }
}

/// What a `reachability` event says besides its target and its time: equal ones are rendered alike.
private struct RenderedVerdict: Equatable {
    private let path: NetworkPath?
    private let supportsDNS: Bool
    private let previousPath: NetworkPath?
    private let previouslySupportedDNS: Bool
    private let trigger: ChangeTrigger
    /// Not the path's alone: a maintenance or a parent has the last word.
    private let reason: StateReason?

    init(_ record: StatusRecord, previous: StatusRecord, trigger: ChangeTrigger) {
        path = record.shownPath
        supportsDNS = record.supportsDNS
        previousPath = previous.shownPath
        previouslySupportedDNS = previous.supportsDNS
        self.trigger = trigger
        reason = record.reason
    }
}

/// What of a path can change, as the `changed` list of a `path` event names it.
package enum PathField: String, Sendable, CaseIterable {
    case status
    case unsatisfiedReason = "unsatisfied_reason"
    case interface
    case sourceAddress = "source_address"
    case gateway
    case isExpensive = "is_expensive"
    case isConstrained = "is_constrained"
    case supportsIPv4 = "supports_ipv4"
    case supportsIPv6 = "supports_ipv6"
    case supportsDNS = "supports_dns"
    case generation, resolution

    package static func changed(from old: StatusRecord, to new: StatusRecord) -> [PathField] {
        allCases.filter { !$0.isEqual(old, new) }
    }

    private func isEqual(_ old: StatusRecord, _ new: StatusRecord) -> Bool {
        switch self {
        case .status: old.path?.status == new.path?.status
        case .unsatisfiedReason: old.path?.unsatisfiedReason == new.path?.unsatisfiedReason
        case .interface: old.path?.interface == new.path?.interface
        case .sourceAddress: old.path?.sourceAddress == new.path?.sourceAddress
        case .gateway: old.path?.gateway == new.path?.gateway
        case .isExpensive: old.path?.isExpensive == new.path?.isExpensive
        case .isConstrained: old.path?.isConstrained == new.path?.isConstrained
        case .supportsIPv4: old.path?.supportsIPv4 == new.path?.supportsIPv4
        case .supportsIPv6: old.path?.supportsIPv6 == new.path?.supportsIPv6
        case .supportsDNS: old.supportsDNS == new.supportsDNS
        case .generation: old.path?.generation == new.path?.generation
        case .resolution: old.path?.resolution == new.path?.resolution
        }
    }
}
