// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD

/// A connection of the C side, passed between threads as a name.
@safe struct ExchangeHandle: Sendable {
    /// Safe to pass on: only the server's thread uses what it points to.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Tells it apart from all other connections that are open.
    var id: UInt { unsafe UInt(bitPattern: pointer) }
}
