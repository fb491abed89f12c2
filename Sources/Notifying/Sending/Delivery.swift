// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A request that is to be made now.
struct Delivery: Sendable {
    /// Names it to the machine that made it.
    let token: UInt64
    let body: [UInt8]
    /// For receivers that know a message by its id.
    let id: String?
    /// 1 for the first.
    let attempt: Int
}
