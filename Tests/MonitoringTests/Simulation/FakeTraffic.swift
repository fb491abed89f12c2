// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Traffic

@testable import Monitoring

/// Connections that the test makes.
final class FakeTraffic: TrafficSource {
    /// The watched endpoints by target.
    private(set) var endpoints: [String: [TrafficEndpoint]] = [:]
    private(set) var updates = 0
    var summaries: [String: TrafficSummary] = [:]
    /// The targets whose hanging connections were counted.
    private(set) var noted: [String] = []

    func update(_ changes: [String: [TrafficEndpoint]?]) {
        updates += 1
        for (id, change) in changes { endpoints[id] = change }
    }

    func noteHangingConnections(of id: String) { noted.append(id) }

    func summary(of id: String) -> TrafficSummary? {
        endpoints[id].map { _ in summaries[id] ?? TrafficSummary() }
    }
}
