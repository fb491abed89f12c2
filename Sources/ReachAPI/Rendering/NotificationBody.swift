// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import Notifying

/// How receivers are told, in `/status`.
extension JSONWriter {
    mutating func notification(_ status: NotificationStatus) {
        object { writer in
            writer.member("name", status.name)
            writer.member("type", status.type)
            writer.member("state", status.state.rawValue)
            writer.member("pending", status.pending)
            writer.member("cursor", status.cursor)
            writer.member("is_durable", status.isDurable)
            writer.member("delivered", status.delivered)
            writer.member("given_up", status.givenUp)
            writer.member("left_out", status.leftOut)
            writer.member("missed", status.missed)
            if let time = status.lastSuccess { writer.member("last_success", time) }
            if let failure = status.lastError {
                writer.member("last_error") { writer in
                    writer.member("code", failure.code)
                    writer.member("detail", failure.detail)
                    if let time = status.lastErrorTime { writer.member("at", time) }
                }
            }
        }
    }
}
