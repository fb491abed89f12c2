// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is at a path.
package enum JSONFinding: Hashable {
    /// There is no such place.
    case nothing
    /// An array or an object.
    case container
    /// A value.
    case scalar(JSONScalar)
}
