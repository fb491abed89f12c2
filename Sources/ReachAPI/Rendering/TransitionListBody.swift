// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import JSON
import Monitoring

/// The body of `/targets/{id}/history`.
extension JSONWriter {
    mutating func transitionList(_ page: TransitionPage, of target: String) {
        object { writer in
            writer.member("target", target)
            writer.key("transitions")
            writer.array(page.events) { $0.transition($1) }
            if let next = page.next { writer.member("next", next.text) }
        }
    }

    private mutating func transition(_ event: RecordedEvent) {
        object { writer in
            writer.member("sequence", event.sequence)
            writer.member("at", event.at)
            guard let transition = event.transition else { return }
            writer.member("from", transition.from.rawValue)
            writer.member("to", transition.to.rawValue)
            if let code = transition.reason {
                writer.member("reason") {
                    $0.member("code", code)
                    $0.member("detail", optional: event.detail)
                }
            }
            if let cause = transition.cause { writer.member("cause", cause.rawValue) }
        }
    }
}
