// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a text is no target of a probe.
package struct ProbeTargetError: Error, Sendable, Hashable {
    /// Words that follow the target.
    package let message: String

    init(_ message: String) { self.message = message }
}
