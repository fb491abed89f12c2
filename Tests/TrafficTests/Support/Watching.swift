// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

@testable import Traffic

/// Replaces all watched targets, as tests want it.
extension TrafficTable {
    mutating func watch(_ targets: [String: [TrafficEndpoint]]) -> Bool {
        var isChanged = false
        for (id, endpoints) in targets { isChanged = update(id, endpoints) || isChanged }
        for id in ids where targets[id] == nil { isChanged = update(id, nil) || isChanged }
        return isChanged
    }
}

extension TrafficObserver {
    func watch(_ targets: [String: [TrafficEndpoint]]) {
        var changes: [String: [TrafficEndpoint]?] = targets.mapValues(\.self)
        for id in table.withLock({ $0.ids }) where targets[id] == nil { changes.updateValue(nil, forKey: id) }
        update(changes)
    }
}
