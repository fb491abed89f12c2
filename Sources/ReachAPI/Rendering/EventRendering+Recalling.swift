// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import KeyValueObserving
import Monitoring

/// Events that were rendered before: the same bytes as when they were new.
extension EventRendering {
    func append(_ event: StoredEvent, to writer: inout JSONWriter) {
        let isWanted = isWanted(event)
        let changes = changes(of: event)
        let id = EventID(epoch: epoch, sequence: event.sequence)
        append(changes, id: isWanted ? nil : id, at: event.at, to: &writer)
        if isWanted { writer.block(event.type.rawValue, id: id, format: query.format, data: event.data) }
    }

    private func isWanted(_ event: StoredEvent) -> Bool {
        guard query.wants(event.type) else { return false }
        guard event.hasSubject else { return query.filter.isEmpty || query.types != nil }
        guard query.filter.matches(event) else { return false }
        return !query.isDistinct || event.type != .reachability || event.isStatusChanged
    }

    private func changes(of event: StoredEvent) -> [KeyValueChange] {
        guard query.wantsChanges, event.hasSubject, query.filter.matches(event) else { return [] }
        let values = RecalledValues(event)
        let found = query.keys.compactMap { key -> (key: ObservedKey, change: RecalledValues.Change)? in
            guard let change = values.change(of: key), !(query.isDistinct && change.isEqual) else { return nil }
            return (key, change)
        }
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
