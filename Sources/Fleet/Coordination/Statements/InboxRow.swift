// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL

/// A row of the inbox: what a node reported.
struct InboxRow: Sendable, Hashable {
    /// What a row reports.
    enum Content: Sendable, Hashable {
        /// A location's vote on a target (the kinds `vote` and `state`).
        case vote(target: String, VoteContent)
        /// A target shows another certificate.
        case certificate(target: String, CertificateEntry)
        /// The node has probed all targets of the shard since it was assigned (`confirmed`).
        case confirmation
        /// Another program wrote what cannot be read.
        case unreadable
    }

    let id: Int64
    let node: String
    let key: AssignmentKey
    /// The token of the assignment under which the node observed.
    let token: Int64
    /// When the node observed it, by the database's clock.
    let at: Duration
    let content: Content

    /// The target that the row is about; nil when it is about a whole shard.
    var target: String? {
        switch content {
        case .vote(let target, _), .certificate(let target, _): target
        case .confirmation, .unreadable: nil
        }
    }

    /// Reads a row with the columns of ``CoordinatorStatement/inbox``. Only the id must be readable, so that every row can be
    /// deleted.
    ///
    /// - Throws: `unexpected_answer` without a readable id.
    init(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) {
        let id = try rows.integer(row, 0)
        do {
            self.init(
                id: id,
                node: try rows.text(row, 1),
                key: AssignmentKey(
                    shard: Shard(
                        placement: Int(clamping: try rows.integer(row, 2)),
                        number: Int(clamping: try rows.integer(row, 3))
                    ),
                    location: try rows.text(row, 4)
                ),
                token: try rows.integer(row, 5),
                at: Duration(microseconds: try rows.integer(row, 13)),
                content: try Self.content(rows, row)
            )
        } catch {
            self.init(
                id: id,
                node: "",
                key: AssignmentKey(shard: Shard(placement: 0, number: 0), location: ""),
                token: 0,
                at: .zero,
                content: .unreadable
            )
        }
    }

    init(id: Int64, node: String, key: AssignmentKey, token: Int64, at: Duration, content: Content) {
        self.id = id
        self.node = node
        self.key = key
        self.token = token
        self.at = at
        self.content = content
    }

    private static func content(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) -> Content {
        switch try rows.text(row, 6) {
        case "vote", "state":
            guard
                let content = VoteContent(
                    state: try rows.text(row, 8),
                    cause: try rows.optionalText(row, 9),
                    reason: try rows.optionalText(row, 10),
                    detail: try rows.optionalText(row, 11),
                    since: try rows.integer(row, 12),
                    fault: try rows.optionalText(row, 14)
                )
            else { return .unreadable }
            return .vote(target: try rows.text(row, 7), content)
        case "certificate":
            guard let entry = CertificateEntry(try rows.text(row, 14)) else { return .unreadable }
            return .certificate(target: try rows.text(row, 7), entry)
        case "confirmed": return .confirmation
        default: return .unreadable
        }
    }
}
