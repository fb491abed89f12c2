// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL

/// The heartbeats that a node took alone, while the database could not be used: stored afterwards, so that a later owner does not take
/// the silence of the database for that of the targets. On the loop's thread.
final class HeartbeatBacklog {
    private struct Entry {
        let isFailure: Bool
        let detail: String?
        /// When it came, in nanoseconds.
        let at: UInt64
    }

    /// The greatest number of targets whose heartbeats are kept.
    static let limit = 10_000
    /// The greatest number of them in a statement.
    static let batchLimit = 1_000

    private let loop: EventLoop
    private var entries: [String: Entry] = [:]
    private var isStoring = false

    init(loop: EventLoop) { self.loop = loop }

    /// Keeps a heartbeat that comes now.
    func keep(isFailure: Bool, detail: String?, of target: String) {
        guard entries[target] != nil || entries.count < Self.limit else { return }
        entries[target] = Entry(isFailure: isFailure, detail: detail, at: loop.clock.now())
    }

    /// The connection ended: its answers are not awaited any more.
    func disconnected() { isStoring = false }

    /// The lease was renewed: stores what is kept. What fails is repeated with the next renewal.
    func renewed(on executor: any StatementExecutor) {
        guard !entries.isEmpty, !isStoring else { return }
        isStoring = true
        let batch = Array(entries.prefix(Self.batchLimit))
        let now = loop.clock.now()
        let parameters: [DatabaseValue] = [
            .texts(batch.map(\.key)), .texts(batch.map { $0.value.isFailure ? "fail" : "ok" }),
            .texts(batch.map(\.value.detail)),
            .integers(batch.map { Int64(clamping: (now - $0.value.at) / 1_000) }),
        ]
        executor.execute(Self.statement, parameters) { [weak self] result in
            guard let self, isStoring else { return }
            isStoring = false
            guard case .success = result else { return }
            for (target, entry) in batch where entries[target]?.at == entry.at { entries[target] = nil }
        }
    }

    /// In the order of the ids, as two nodes may do it at the same time.
    static let statement = Statement(
        """
        INSERT INTO heartbeats (target, command, at, kind, detail)
        SELECT t.id, 0, \(DatabaseClock.now) - u.age, u.kind, u.detail
        FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS u(target, kind, detail, age)
        JOIN targets t ON t.id = u.target ORDER BY t.id
        ON CONFLICT (target) DO UPDATE SET command = excluded.command, at = excluded.at, kind = excluded.kind,
          detail = excluded.detail
        WHERE heartbeats.at < excluded.at
        """,
        name: "store_heartbeats"
    )
}
