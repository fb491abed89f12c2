// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One event of a stream (HTML standard, section 9.2).
package struct StreamEvent: Sendable, Hashable {
    /// Its type.
    package var type: String
    /// The last id that was seen; "" before the first.
    package var id: String
    /// Its data; lines are joined by line feeds.
    package var data: [UInt8]

    package init(type: String, id: String, data: [UInt8]) {
        self.type = type
        self.id = id
        self.data = data
    }
}
