// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

extension PathCase {
    /// Gives this case up, and says so in a line that `scripts/test` counts: the runner tells no reason for a case.
    func skip(_ reason: String) throws -> Never {
        print("skipped case: \(title): \(reason.split(separator: "\n").joined(separator: "; "))")
        try Test.cancel("\(title): \(reason)")
    }
}
