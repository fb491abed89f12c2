// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why the service does not run: what to say, and how to end.
struct ServiceFailure: Error {
    let status: ExitStatus
    let lines: [String]

    init(_ status: ExitStatus, _ lines: [String]) {
        self.status = status
        self.lines = lines
    }
}
