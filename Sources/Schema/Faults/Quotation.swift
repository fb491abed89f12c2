// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

extension String {
    /// The text as a fault may repeat it: shortened, in quotes, and without control characters that would reach a
    /// terminal.
    package var quoted: String {
        var shown = "'"
        var count = 0
        for scalar in unicodeScalars {
            if count == 60 {
                shown += "…"
                break
            }
            count += 1
            if DisplayText.isPrintable(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return shown + "'"
    }
}
