// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import TestSupport

/// Remembers everything that an engine tells and the latest verdict of each target.
final class PathLog: PathEngineObserver {
    let updates = Recorder<PathUpdate>()
    let environments = Recorder<NetworkEnvironment>()

    func pathsDidChange(_ updates: [PathUpdate]) {
        for update in updates { self.updates.record(update) }
    }

    func environmentDidChange(_ environment: NetworkEnvironment) {
        environments.record(environment)
    }

    /// The latest verdict told for a target.
    func path(of id: PathID) -> NetworkPath? {
        updates.events.last { $0.id == id }?.path
    }

    /// The latest verdict told for every target.
    var latest: [PathID: NetworkPath] {
        Dictionary(updates.events.map { ($0.id, $0.path) }) { $1 }
    }

    /// Awaits the moment when the latest verdict of a target fits; it may be now.
    func settle(
        _ id: PathID,
        limit: Duration = .seconds(600),
        where fits: @escaping @Sendable (NetworkPath) -> Bool
    ) async throws {
        let told = updates.events
        if let path = told.last(where: { $0.id == id })?.path, fits(path) { return }
        try await updates.next(after: told.count, limit: limit) { $0.id == id && fits($0.path) }
    }

    /// Awaits the first update of a target after a mark that fits.
    @discardableResult
    func next(
        _ id: PathID,
        after mark: Int,
        limit: Duration = .seconds(600),
        where fits: @escaping @Sendable (PathUpdate) -> Bool = { _ in true }
    ) async throws -> PathUpdate {
        try await updates.next(after: mark, limit: limit) { $0.id == id && fits($0) }
    }

    /// The updates of a target after a mark.
    func updates(of id: PathID, after mark: Int) -> [PathUpdate] {
        updates.events.dropFirst(mark).filter { $0.id == id }
    }
}
