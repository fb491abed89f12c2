// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// A target of the HTTP interface.
struct WrittenTarget: Sendable {
    /// Its place among the others.
    let number: UInt64
    /// The declaration, as it is kept and patched: JSON on one line, with its id.
    let declaration: [UInt8]
    /// What was made of it.
    let settings: TargetSettings
}
