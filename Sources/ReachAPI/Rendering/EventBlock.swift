// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// An event in the format of `text/event-stream`: the data is one line, because JSON escapes line ends.
extension JSONWriter {
    mutating func block(
        _ type: String,
        id: EventID?,
        format: EventFormat,
        _ members: (inout JSONWriter) -> Void
    ) {
        frame(type, id: id, format: format)
        object { writer in
            if format == .message { writer.member("type", type) }
            members(&writer)
        }
        raw("\n\n")
    }

    /// Writes a block with prepared data, which must be an object with members.
    mutating func block(_ type: String, id: EventID?, format: EventFormat, data: [UInt8]) {
        frame(type, id: id, format: format)
        if format == .message {
            raw("{\"type\":\"")
            raw(type)
            raw("\",")
            value(rendered: data.dropFirst())
        } else {
            value(rendered: data[...])
        }
        raw("\n\n")
    }

    private mutating func frame(_ type: String, id: EventID?, format: EventFormat) {
        if format == .event {
            raw("event: ")
            raw(type)
            raw("\n")
        }
        if let id {
            raw("id: ")
            raw(id.epoch)
            raw("-")
            raw(id.sequence)
            raw("\n")
        }
        raw("data: ")
    }
}

/// Transient events as blocks of a stream; without an id, because they are not stored and a stream cannot resume after
/// them.
extension JSONWriter {
    /// Appends nothing if the query excludes the event.
    mutating func live(_ event: TransientEvent, query: EventQuery) {
        switch event.content {
        case .result(let record, let report):
            guard query.includesResults, query.filter.matches(record) else { return }
            block("result", id: nil, format: query.format) { writer in
                writer.subject(record)
                writer.member("state", record.state.rawValue)
                if let evaluation = record.evaluation { writer.doubts(evaluation, fields: .all) }
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
