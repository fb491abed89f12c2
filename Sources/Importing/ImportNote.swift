// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
package import Schema

/// Something in another program's configuration that ours does not say, or not quite.
package struct ImportNote: Sendable, Hashable {
    /// Where it stands.
    package let position: YAMLPosition
    /// What becomes of it, in words.
    package let words: String
}
