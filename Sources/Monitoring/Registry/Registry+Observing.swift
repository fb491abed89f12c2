// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths

extension Registry: PathEngineObserver {
    /// Takes a pass of the engine, a slice at a time.
    package func pathsDidChange(_ updates: [PathUpdate]) {
        var start = 0
        while start < updates.count {
            let end = min(start + Self.sliceLength, updates.count)
            let now = clock.now()
            change { state in
                for index in start..<end { state.take(updates[index], at: now) }
            }
            start = end
            // A pass over many targets is told while it goes on.
            if start % (Self.sliceLength * 16) == 0 { tellListeners() }
        }
        tellListeners()
    }

    /// Takes the resolvers and gateways; automatic targets follow them.
    package func environmentDidChange(_ environment: NetworkEnvironment) {
        let now = clock.now()
        let isOutdated = change { $0.take(environment, at: now) }
        if isOutdated { refreshRecords() }
        tellListeners()
        followEnvironment()
    }

    private func refreshRecords() {
        var next: UInt64? = 0
        var slices = 0
        while let ordinal = next {
            let now = clock.now()
            next = change { state in
                let first = state.table.firstPosition(from: ordinal)
                let end = min(first + Self.sliceLength, state.table.places.count)
                for position in first..<end { state.refreshEnvironment(at: position, at: now) }
                return end < state.table.places.count ? state.table.places[end].ordinal : nil
            }
            slices += 1
            if slices % 16 == 0 { tellListeners() }
        }
    }
}
