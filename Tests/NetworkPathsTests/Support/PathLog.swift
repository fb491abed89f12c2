// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Synchronization
import TestSupport

/// Remembers everything that an engine tells and the latest verdict of each target.
final class PathLog: PathEngineObserver {
    let updates = Recorder<PathUpdate>()
    let environments = Recorder<NetworkEnvironment>()
    private let paths = Mutex<[PathID: NetworkPath]>([:])

    func pathsDidChange(_ updates: [PathUpdate]) {
        paths.withLock { paths in
            for update in updates { paths[update.id] = update.path }
        }
        for update in updates { self.updates.record(update) }
    }

    func environmentDidChange(_ environment: NetworkEnvironment) {
        environments.record(environment)
    }

    /// The latest verdict told for a target.
    func path(of id: PathID) -> NetworkPath? {
        paths.withLock { $0[id] }
    }

    /// Awaits the moment when the latest verdict of a target fits; it may be now.
    func settle(
        _ id: PathID,
        limit: Duration = .seconds(20),
        where fits: @escaping @Sendable (NetworkPath) -> Bool
    ) async throws {
        // The mark comes first: what is told between it and the look is in the rest that `next` searches.
        let mark = updates.count
        if let path = path(of: id), fits(path) { return }
        try await updates.next(after: mark, limit: limit) { $0.id == id && fits($0.path) }
    }

    /// Awaits the first update of a target after a mark that fits.
    @discardableResult
    func next(
        _ id: PathID,
        after mark: Int,
        limit: Duration = .seconds(20),
        where fits: @escaping @Sendable (PathUpdate) -> Bool = { _ in true }
    ) async throws -> PathUpdate {
        try await updates.next(after: mark, limit: limit) { $0.id == id && fits($0) }
    }

    /// The updates of a target after a mark.
    func updates(of id: PathID, after mark: Int) -> [PathUpdate] {
        updates.events.dropFirst(mark).filter { $0.id == id }
    }
}
