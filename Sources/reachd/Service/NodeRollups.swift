// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import History
import Monitoring
import ReachAPI

/// This node's history for its fleet, read on the thread of the history's reader.
struct NodeRollups: NodeRollupSource {
    private let history: TargetHistory
    private let registry: Registry

    init(_ history: TargetHistory, registry: Registry) {
        (self.history, self.registry) = (history, registry)
    }

    func read(
        _ length: RollupLength,
        start: Int64,
        after place: Int64?,
        limit: Int,
        bytes: Int,
        completion: @escaping @Sendable (NodeRollupAnswer) -> Void
    ) {
        history.read { [history, registry] in
            do throws(HistoryError) {
                let page = try history.reader.completed(
                    RollupResolution(length),
                    start: start,
                    after: place,
                    limit: limit,
                    bytes: bytes,
                    // A target that the node declares itself is another one than the fleet's of the same id. One that another node took
                    // over since is not in the registry any more.
                    isWanted: { id in
                        TargetID.isValid(id) && registry.target(id)?.target.map { $0.settings.origin == .fleet } ?? true
                    }
                )
                guard let page else { return completion(.incomplete) }
                completion(
                    .page(
                        NodeRollupPage(targets: page.rows.map(\.target), data: page.rows.map(\.data), next: page.next)
                    )
                )
            } catch {
                completion(.unreadable(error.code.summary))
            }
        }
    }
}

extension RollupResolution {
    fileprivate init(_ length: RollupLength) {
        self =
            switch length {
            case .hour: .hour
            case .day: .day
            }
    }
}
