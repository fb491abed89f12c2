// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// Why a running service gave no answer: in words for people, and what the command ends with.
struct ServiceFault: Error {
    let words: String
    let status: ExitStatus

    init(_ words: String, _ status: ExitStatus) {
        self.words = words
        self.status = status
    }

    /// Says it on the standard error; returns what the command is to end with.
    func tell() -> ExitStatus {
        Complaint.tell(words, status)
    }
}
