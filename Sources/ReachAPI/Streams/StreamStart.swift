// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Where a stream begins.
enum StreamStart {
    /// With what happens from now on.
    case now
    /// Behind an event that the client named in the query.
    case since(UInt64)
    /// Behind the last event that the client got on the connection before.
    case resumed(UInt64)
    /// The client named an event that the stream cannot go on from.
    case reset(ResetReason, requested: String)

    /// Why a stream cannot go on behind an id; nil when it can.
    static func fault(of id: EventID, epoch: String, oldest: UInt64, head: UInt64) -> ResetReason? {
        if id.epoch != epoch { return .foreignEpoch }
        if id.sequence > head { return .future }
        return id.sequence < oldest - 1 ? .expired : nil
    }
}
