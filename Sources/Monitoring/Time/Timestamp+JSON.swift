// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import JSON

extension JSONWriter {
    /// A time, as RFC 3339 has it.
    package mutating func time(_ value: Timestamp) { plain { value.append(to: &$0) } }

    /// A time, as RFC 3339 has it.
    package mutating func member(_ name: StaticString, _ value: Timestamp) {
        key(name)
        time(value)
    }
}
