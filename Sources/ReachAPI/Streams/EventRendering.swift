// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import KeyValueObserving
import Monitoring

/// Renders an event of the log for a client's query; used for new events and for replay.
///
/// A delivery may become several blocks: the derived changes first, in the order of R17, then the event itself. Only
/// the last block has the id: a client that loses the connection in between receives all of them again.
struct EventRendering {
    let epoch: String
    let query: EventQuery
    let incidents: IncidentFilter

    /// Appends nothing if the query excludes the event.
    func append(_ event: RecordedEvent, to writer: inout JSONWriter) {
        let isWanted = isWanted(event)
        let changes = changes(of: event)
        let id = EventID(epoch: epoch, sequence: event.sequence)
        for (index, change) in changes.enumerated() {
            let isLastBlock = !isWanted && index == changes.count - 1
            writer.block("change", id: isLastBlock ? id : nil, format: query.format) {
                change.write(to: &$0, options: query.options, at: event.at)
            }
        }
        if isWanted { writer.block(event.type.rawValue, id: id, format: query.format, data: event.data) }
    }

    private func isWanted(_ event: RecordedEvent) -> Bool {
        guard query.wants(event.type) else { return false }
        if event.type == .incident { return incidents.includes(event) }
        // A filter excludes events without a target, unless their type is requested.
        guard event.hasSubject else { return query.filter.isEmpty || query.types != nil }
        guard query.filter.matches(event) else { return false }
        return !query.isDistinct || event.type != .reachability || event.isStatusChanged
    }

    private func changes(of event: RecordedEvent) -> [KeyValueChange] {
        guard query.wantsChanges, event.hasSubject, query.filter.matches(event) else { return [] }
        let values = ObservedValues(event)
        let found = query.keys.compactMap { key -> (key: ObservedKey, change: ObservedValues.Change)? in
            guard let change = values.change(of: key), !(query.isDistinct && change.isEqual) else { return nil }
            return (key, change)
        }
        // K10: will-change of the status and of every dependent key, then the value is stored, then did-change of each.
        return (query.options.contains(.prior) ? [true, false] : [false]).flatMap { isPrior in
            found.map { key, change in
                KeyValueChange(
                    key: key,
                    subject: event.target,
                    old: .rendered(change.old),
                    new: .rendered(change.new),
                    isPrior: isPrior
                )
            }
        }
    }
}
