// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How events are framed.
enum EventFormat: String, CaseIterable {
    /// With the event's type in the `event` field.
    case event
    /// Under the default name, with the type inside the data, for clients that only know `onmessage`.
    case message
}
