// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// A log, as the registry reads it: what cannot be read is missing, which readers are told.
struct StoreArchive: EventArchive {
    let store: any EventStore
    let failed: @Sendable (HistoryError) -> Void

    var oldest: UInt64 { store.oldest }

    func events(after sequence: UInt64, limit: Int) -> [RecordedEvent] {
        do throws(HistoryError) {
            return try store.events(after: sequence, limit: limit)
        } catch {
            failed(error)
            return []
        }
    }
}
