// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// One event as `text/event-stream` frames it: the data is one line, because JSON escapes line ends.
extension JSONWriter {
    mutating func block(
        _ type: String,
        id: EventID?,
        format: EventFormat,
        _ members: (inout JSONWriter) -> Void
    ) {
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
        object { writer in
            if format == .message { writer.member("type", type) }
            members(&writer)
        }
        raw("\n\n")
    }

    /// The target's id, or null for the machine's own network.
    mutating func subject(_ record: StatusRecord) {
        key("target")
        if let id = record.target?.settings.id { string(id) } else { null() }
    }
}
