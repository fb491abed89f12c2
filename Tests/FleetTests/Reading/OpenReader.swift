// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

@testable import Fleet

/// A reader of a fleet with methods to await, which is closed when this object goes.
final class OpenReader: Sendable {
    let reader: FleetReader

    init(reader: FleetReader) { self.reader = reader }

    deinit { reader.close() }

    /// Awaits an answer.
    func answer<Answer>(_ question: FleetQuestion<Answer>) async throws(FleetFault) -> Answer {
        try await withCheckedContinuation { continuation in
            reader.ask(question) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Awaits a page.
    func page(
        _ filter: FleetTargetFilter = FleetTargetFilter(),
        after ordinal: UInt64 = 0,
        limit: Int = 100,
        isCounted: Bool = true
    ) async throws(FleetFault) -> FleetTargetPage {
        try await withCheckedContinuation { continuation in
            reader.targets(filter, after: ordinal, limit: limit, isCounted: isCounted) {
                continuation.resume(returning: $0)
            }
        }.get()
    }

    /// Awaits a target; nil for an unknown id.
    func target(_ id: String) async throws(FleetFault) -> FleetTarget? {
        try await withCheckedContinuation { continuation in
            reader.target(id) { continuation.resume(returning: $0) }
        }.get()
    }
}
