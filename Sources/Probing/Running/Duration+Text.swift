// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

extension Duration {
    /// In milliseconds with up to two decimals, for people: `12.34 ms`.
    var milliseconds: String {
        let hundredths = nanoseconds / 10_000
        let rest = String(hundredths % 100)
        return "\(hundredths / 100).\(rest.count == 1 ? "0" : "")\(rest) ms"
    }
}
