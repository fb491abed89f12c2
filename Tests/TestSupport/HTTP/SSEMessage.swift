// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One block of a `text/event-stream`, from one empty line to the next.
package struct SSEMessage: Sendable, Hashable {
    /// The `event` field, `message` when there was none.
    package var event = "message"
    /// The `id` field of this block.
    package var id: String?
    /// The `data` lines, joined by line feeds.
    package var data = ""
    /// The `retry` field, in milliseconds.
    package var retry: Int?
    /// The comment lines without their colon.
    package var comments: [String] = []
    /// Whether the block has anything but comments and `retry`.
    package var isEvent = false
}
