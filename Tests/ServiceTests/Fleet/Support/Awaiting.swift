// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An awaited condition that did not come true before the limit.
struct NotReached: Error, CustomStringConvertible {
    /// What was awaited, and what was found last.
    let description: String
}

/// Repeats a look until it finds something.
///
/// - Parameters:
///   - what: what is awaited, for the failure.
///   - limit: when to give up: a hang limit, not a measurement.
///   - last: what was found last, for the failure.
///   - look: returns nil until the condition holds.
@discardableResult
func awaitValue<Value>(
    _ what: String,
    limit: Duration = .seconds(60),
    last: () -> String = { "" },
    _ look: () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now + limit
    while true {
        if let value = try await look() { return value }
        guard ContinuousClock.now < end else { throw NotReached(description: "\(what): \(last())") }
        try await Task.sleep(for: .milliseconds(40))
    }
}
