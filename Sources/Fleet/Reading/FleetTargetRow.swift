// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Monitoring
internal import PostgreSQL

/// The rows of one target: one for each location that is assigned.
struct FleetTargetRow {
    /// The first of the columns.
    static let first = FleetVersion.count + 3

    static let columns = """
        x.ordinal, x.id, x.spec, x.source, x.version, x."interval", x.partial_up, x."group", x.tags,
          p.watchers, p.quorum, p.locations,
          v.state, v.cause, v.reason, v.detail, v.since, d.since, d.due,
          a.location, a.node, a.token, a.since, a.confirmed, n.url,
          CASE WHEN a.node IS NULL OR n.name IS NULL THEN a.since
            WHEN n.departed OR \(end("n")) <= \(DatabaseClock.now) AND EXISTS (
              SELECT FROM nodes w WHERE NOT w.departed AND \(end("w")) > \(DatabaseClock.now)
                AND w.resumed <= \(DatabaseClock.now) - s.lease)
            THEN greatest(\(end("n")), a.since) END,
          o.state, o.cause, o.reason, o.detail, o.since, o.token, x.origin
        """

    private static func end(_ node: String) -> String {
        LeaseSpan.end("\(node).until", now: DatabaseClock.now, lease: "s.lease")
    }

    static let joins = """
        LEFT JOIN placements p ON p.id = x.placement LEFT JOIN verdicts v ON v.target = x.id
            LEFT JOIN disagreements d ON d.target = x.id
            LEFT JOIN assignments a ON a.placement = x.placement AND a.shard = x.shard
            LEFT JOIN nodes n ON n.name = a.node LEFT JOIN votes o ON o.target = x.id AND o.location = a.location
        """

    private let rows: DatabaseRows
    private let range: Range<Int>
    private let now: Duration

    init(_ rows: DatabaseRows, _ range: Range<Int>, now: Duration) throws(DatabaseError) {
        (self.rows, self.range, self.now) = (rows, range, now)
    }

    private func column(_ number: Int) -> Int { Self.first + number }

    func target(
        _ settings: FleetSettings,
        isolated: Set<String>,
        _ declarations: DeclarationCache,
        of fleet: FleetVersion
    ) throws(DatabaseError) -> FleetTarget {
        let row = range.lowerBound
        let id = try rows.text(row, column(1))
        let placement = try Placement(rows, row, column(9)) ?? Placement.single
        let interval = Duration(microseconds: max(0, try rows.integer(row, column(5))))
        let counted = try votes(
            placement,
            grace: VerdictFacts.grace(interval: interval, unwatchedAfter: settings.unwatchedAfter)
        )
        let facts = VerdictFacts(
            votes: counted.map(\.vote),
            placement: placement,
            now: now,
            isolated: isolated,
            disagreeingSince: try rows.optionalInteger(row, column(17)).map { Duration(microseconds: $0) },
            settle: settings.settle,
            unwatchedAfter: settings.unwatchedAfter,
            interval: interval,
            isPartialUp: try rows.bool(row, column(6))
        )
        let standings = facts.effectiveVotes.map(facts.standing(of:))
        let due = try rows.optionalInteger(row, column(18))
        let version = try rows.integer(row, column(4))
        var declared = declarations.settings(
            of: id,
            version: DeclarationVersion(epoch: fleet.epoch, version: version),
            try rows.text(row, column(2))
        )
        if try rows.text(row, column(32)) == TargetSettings.Origin.api.rawValue { declared?.origin = .api }
        return FleetTarget(
            ordinal: UInt64(clamping: try rows.integer(row, column(0))),
            id: id,
            settings: declared,
            group: try rows.optionalText(row, column(7)),
            tags: FleetTags.members(of: try rows.texts(row, column(8)).compactMap(\.self)),
            source: try rows.optionalText(row, column(3)),
            revision: FleetRevision(epoch: fleet.epoch, version: version, newest: fleet.declared),
            placement: placement,
            isPartialUp: facts.isPartialUp,
            state: try rows.optionalText(row, column(12)).flatMap(TargetState.init) ?? .unknown,
            cause: try rows.optionalText(row, column(13)).flatMap(StateCause.init),
            reason: try rows.optionalText(row, column(14)),
            detail: try rows.optionalText(row, column(15)),
            since: Timestamp(Duration(microseconds: try rows.optionalInteger(row, column(16)) ?? 0)),
            pendingUntil: due.flatMap { $0 == .max ? nil : Timestamp(Duration(microseconds: $0)) },
            counts: VoteCounts(standings, placement: placement),
            votes: zip(counted, standings).map {
                FleetVote(vote: $0.vote, standing: $1, node: $0.node, url: $0.url)
            }
        )
    }

    /// The votes that count, by location.
    private func votes(
        _ placement: Placement,
        grace: Duration
    ) throws(DatabaseError) -> [(vote: Vote, node: String?, url: String?)] {
        var all: [WatchingLocation] = []
        var found: [String: Int] = [:]
        for row in range where try !rows.isNull(row, column(19)) {
            let watching = WatchingLocation(
                location: try rows.text(row, column(19)),
                isOwned: try !rows.isNull(row, column(20)),
                token: try rows.integer(row, column(21)),
                since: Duration(microseconds: try rows.integer(row, column(22))),
                vote: try rows.optionalInteger(row, column(31))
            )
            all.append(watching)
            found[watching.location] = row
        }
        let hasOwner = all.contains(where: \.isOwned)
        var votes: [(vote: Vote, node: String?, url: String?)] = []
        for watching in WatchingLocation.counted(all, watchers: placement.watchers, now: now, grace: grace) {
            guard let row = found[watching.location] else { continue }
            let vote = try vote(row, of: watching, isStandIn: hasOwner && !watching.isOwned)
            votes.append((vote, try rows.optionalText(row, column(20)), try rows.optionalText(row, column(24))))
        }
        return votes
    }

    private func vote(_ row: Int, of watching: WatchingLocation, isStandIn: Bool) throws(DatabaseError) -> Vote {
        let (location, token, since) = (watching.location, watching.token, watching.since)
        let isConfirmed = try rows.integer(row, column(23)) == token || watching.vote == token
        let loss = try rows.optionalInteger(row, column(25)).map { Duration(microseconds: $0) }
        let owner: VoteOwner =
            if isStandIn { .unconfirmed(since: since) } else if let loss { .lost(since: loss) } else if isConfirmed {
                .confirmed
            } else {
                .unconfirmed(since: since)
            }
        guard watching.vote != nil, let state = try rows.optionalText(row, column(26)),
            let content = VoteContent(
                state: state,
                cause: try rows.optionalText(row, column(27)),
                reason: try rows.optionalText(row, column(28)),
                detail: try rows.optionalText(row, column(29)),
                since: try rows.integer(row, column(30))
            )
        else { return .awaited(from: location, since: since, owner: owner) }
        return StoredVote(content: content, token: token, node: "").vote(from: location, owner: owner)
    }
}
