// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import JSON

/// The parts that bodies and events about verdicts and votes share.
extension JSONWriter {
    /// The member `reason` by its code; nothing without one.
    package mutating func reason(_ code: String?, detail: String?) {
        guard let code else { return }
        member("reason") { writer in
            writer.member("code", code)
            writer.member("detail", detail ?? "")
        }
    }

    /// The member `quorum`: how the votes count.
    package mutating func quorum(_ counts: VoteCounts) {
        member("quorum") { writer in
            writer.member("watchers", counts.watchers)
            writer.member("needed", counts.needed)
            writer.member("well", counts.well)
            writer.member("ill", counts.ill)
            writer.member("against", counts.against)
            writer.member("void", counts.void)
        }
    }
}
