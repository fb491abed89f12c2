// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import KeyValueObserving
import Monitoring
import NetworkPaths

/// Turns an event of the log into what a client with a given query is sent; used for live events and for replay.
///
/// A delivery may become several blocks: the derived changes first, as R17 orders them, then the event itself. Only the
/// last block carries the id: a client that loses the connection between them gets all of them again.
struct EventRendering {
    let epoch: String
    let query: EventQuery
    private var lastVerdict: (verdict: RenderedVerdict, bytes: [UInt8])?

    init(epoch: String, query: EventQuery) {
        self.epoch = epoch
        self.query = query
    }

    /// Appends nothing when the query does not want the event.
    mutating func append(_ event: Event, to writer: inout JSONWriter) {
        if case .recalled(let stored) = event.content { return append(stored, to: &writer) }
        let changes = changes(of: event)
        let isWanted = isWanted(event)
        let id = EventID(epoch: epoch, sequence: event.sequence)
        append(changes, id: isWanted ? nil : id, at: event.at, to: &writer)
        guard isWanted else { return }
        writer.block(event.type.rawValue, id: id, format: query.format) { members(of: event, to: &$0) }
    }

    /// Appends derived changes, the last one with an id if there is one.
    func append(_ changes: [KeyValueChange], id: EventID?, at moment: Timestamp, to writer: inout JSONWriter) {
        for (index, change) in changes.enumerated() {
            writer.block("change", id: index == changes.count - 1 ? id : nil, format: query.format) {
                change.write(to: &$0, options: query.options, at: moment)
            }
        }
    }

    // MARK: Selection

    private func isWanted(_ event: Event) -> Bool {
        guard query.wants(event.type) else { return false }
        // What speaks of no target is not what a client with a filter waits for, unless it says so.
        guard let record = event.record else { return query.filter.isEmpty || query.types != nil }
        guard query.filter.matches(record) else { return false }
        guard query.isDistinct, case .reachability(let record, let previous, _) = event.content else { return true }
        return record.status != previous.status
    }

    private func changes(of event: Event) -> [KeyValueChange] {
        guard query.wantsChanges, let record = event.record, query.filter.matches(record) else { return [] }
        let previous: StatusRecord
        switch event.content {
        case .reachability(_, let old, _), .path(_, let old, _, _), .state(_, let old): previous = old
        case .target, .config, .certificate, .recalled: return []
        }
        let keys = query.keys.filter { key in
            key.isSet(by: event.content) && key.exists(in: record)
                && !(query.isDistinct && key.isEqual(previous, record))
        }
        // K10: will-change of the status and of every dependent key, the value is stored, did-change of each.
        let priors = query.options.contains(.prior) ? keys : []
        return priors.map { KeyValueChange(key: $0, old: previous, new: record, isPrior: true) }
            + keys.map { KeyValueChange(key: $0, old: previous, new: record, isPrior: false) }
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
        case .certificate(let record, let change):
            writer.subject(record)
            writer.certificateChangeMembers(change)
        case .target(let action, let record):
            writer.member("action", action.rawValue)
            writer.key("target")
            writer.target(record, detail: .brief)
        case .config(let change):
            configuration(change, to: &writer)
        case .recalled:
            // It has its data already, time and all.
            return
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
        // When a link goes, a thousand targets get the same verdict one after the other.
        let verdict = RenderedVerdict(record, previous: previous, trigger: trigger)
        if let lastVerdict, lastVerdict.verdict == verdict { return writer.members(rendered: lastVerdict.bytes) }
        let start = writer.bytes.count
        writer.statusBlock(record)
        writer.member("previous") { writer in
            writer.member("status", previous.status.name)
            writer.member("status_code", previous.status.rawValue)
            if let flags = previous.path?.flags { writer.member("flags") { $0.flagsMembers(flags) } }
        }
        writer.member("status_changed", record.status != previous.status)
        self.trigger(trigger, to: &writer)
        reason(record, to: &writer)
        lastVerdict = (verdict, Array(writer.bytes[start...]))
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
        case .reloaded:
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
