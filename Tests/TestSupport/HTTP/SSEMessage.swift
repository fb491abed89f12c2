// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One block of a `text/event-stream`, from one empty line to the next.
public struct SSEMessage: Sendable, Hashable {
    /// The `event` field, `message` when there was none.
    public var event = "message"
    /// The `id` field of this block.
    public var id: String?
    /// The `data` lines, joined by line feeds.
    public var data = ""
    /// The `retry` field, in milliseconds.
    public var retry: Int?
    /// The comment lines without their colon.
    public var comments: [String] = []
    /// Whether the block has anything but comments and `retry`.
    public var isEvent = false
}
