// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

extension RecordedEvent {
    /// An event with everything that one can have.
    static func sample(_ sequence: UInt64, at milliseconds: Int64 = 1_795_000_000_000, size: Int = 0) -> RecordedEvent {
        RecordedEvent(
            sequence: sequence,
            at: Timestamp(milliseconds: milliseconds + Int64(sequence)),
            type: .state,
            target: "host-\(sequence % 7)",
            group: "edge",
            tags: ["team": "a=b\\n\n", "": "ä"],
            isStatusChanged: sequence % 2 == 0,
            transition: Transition(from: .up, to: .down, reason: "connect_refused", cause: .target),
            data: Array(#"{"target":"host","n":\#(sequence),"x":"\#(String(repeating: "x", count: size))"}"#.utf8),
            supplement: sequence % 3 == 0 ? Array("{}".utf8) : []
        )
    }

    /// An event with nothing that it need not have.
    static func bare(_ sequence: UInt64) -> RecordedEvent {
        RecordedEvent(
            sequence: sequence,
            at: Timestamp(milliseconds: -1),
            type: .config,
            data: Array(#"{"at":"\u0000"}"#.utf8)
        )
    }
}

extension ClosedRange<UInt64> {
    var events: [RecordedEvent] { map { .sample($0) } }
}
