// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import KeyValueObserving
import Monitoring

/// Turns an event of the log into what a client with a given query is sent; used for new events and for replay.
///
/// A delivery may become several blocks: the derived changes first, as R17 orders them, then the event itself. Only the
/// last block carries the id: a client that loses the connection between them gets all of them again.
struct EventRendering {
    let epoch: String
    let query: EventQuery

    /// Appends nothing when the query does not want the event.
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
        // What speaks of no target is not what a client with a filter waits for, unless it says so.
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
        // K10: will-change of the status and of every dependent key, the value is stored, did-change of each.
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
