// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

/// Gives up a case that this machine cannot run, in a line that `scripts/test` counts: the runner tells no reason for a case.
func skip(_ what: String, because reason: String) throws -> Never {
    print("skipped case: \(what): \(reason)")
    try Test.cancel("\(what): \(reason)")
}
