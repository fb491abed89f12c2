// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// What goes on, as blocks of a stream; without an id: it is not kept, and nobody can go on from there.
extension JSONWriter {
    /// Appends nothing when the query does not want the event.
    mutating func live(_ event: LiveEvent, query: EventQuery) {
        switch event.content {
        case .result(let record, let report):
            guard query.includesResults, query.filter.matches(record) else { return }
            block("result", id: nil, format: query.format) { writer in
                writer.subject(record)
                writer.member("state", record.state.rawValue)
                if let judgement = record.judgement { writer.doubts(judgement, fields: .all) }
                writer.member("result") { $0.resultMembers(report, detail: .full) }
                writer.member("at", event.at)
            }
        case .activity(let activity):
            guard query.wantsActivity else { return }
            block("activity", id: nil, format: query.format) { writer in
                writer.activityMembers(activity)
                writer.member("at", event.at)
            }
        }
    }
}
