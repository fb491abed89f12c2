// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Network
import Synchronization
import Testing

/// Collects the paths that a handler gets.
final class PathRecord: Sendable {
    private let state = Mutex<[(path: NWPath, queue: String)]>([])

    /// What a test names its queue by.
    static let label = DispatchSpecificKey<String>()

    /// A handler that records.
    var handler: @Sendable (NWPath) -> Void {
        { path in
            let queue = DispatchQueue.getSpecific(key: Self.label) ?? ""
            self.state.withLock { $0.append((path, queue)) }
        }
    }

    /// All paths so far.
    var paths: [NWPath] { state.withLock { $0.map(\.path) } }
    /// Their statuses.
    var statuses: [NWPath.Status] { paths.map(\.status) }
    /// The names of the queues that they came on.
    var queues: Set<String> { state.withLock { Set($0.map(\.queue)) } }
}
