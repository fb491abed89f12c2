// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A `kSCStatus…` code on its way to the thread's last error.
struct StatusError: Error {
    let code: Int

    init(_ code: Int) {
        self.code = code
    }
}
