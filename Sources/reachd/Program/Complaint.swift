// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// What goes wrong in a command, said once.
enum Complaint {
    /// Says it on the standard error; returns what the command is to end with.
    static func tell(_ words: String, _ status: ExitStatus) -> ExitStatus {
        StandardStream.error.write(line: "reachd: \(TerminalText.safe(words))")
        return status
    }
}
