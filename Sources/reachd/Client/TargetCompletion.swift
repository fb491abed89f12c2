// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser

extension CompletionKind {
    /// The ids of a running service's targets; nothing where none answers soon.
    static var targets: CompletionKind {
        .shellCommand("reachd targets --ids --timeout 500ms 2>/dev/null")
    }
}
