// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a ``StreamSource`` has to say when asked.
package enum StreamPiece: Sendable {
    /// Bytes to send; arrays are shared between streams, not copied.
    case bytes([UInt8])
    /// Nothing yet.
    case idle
    /// Nothing any more: these last bytes, then the end.
    case end([UInt8])
}
