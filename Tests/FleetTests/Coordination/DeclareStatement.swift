// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL

@testable import Fleet

/// Declares targets of tests, one for each element of its arrays, whatever their placement.
struct DeclareStatement {
    /// One target.
    struct Declaration {
        let id: String
        let shard: Shard
        /// The declaration's text.
        let spec: String
        let interval: Duration
        var isPartialUp = false
        var group: String?
    }

    let declarations: [Declaration]
    /// The kind of the declarations' origin, for example `api`.
    let origin: String
    let source: String?

    static let statement = Statement(
        """
        WITH g AS MATERIALIZED (SELECT declared + 1 AS version FROM log_head FOR UPDATE),
        t AS MATERIALIZED (SELECT \(DatabaseClock.now) AS now FROM g),
        i AS (
          INSERT INTO targets (id, placement, shard, spec, origin, source, version, "interval", partial_up, "group")
          SELECT u.id, u.placement, u.shard, u.spec, $5::text, $6::text, g.version, u.period, u.partial_up, u.name
          FROM unnest($1::text[], $2::int[], $3::int[], $4::text[], $7::bigint[], $8::boolean[], $9::text[])
            AS u(id, placement, shard, spec, period, partial_up, name), g
          ON CONFLICT (id) DO UPDATE SET placement = excluded.placement, shard = excluded.shard, spec = excluded.spec,
            version = excluded.version, "interval" = excluded."interval", partial_up = excluded.partial_up,
            "group" = excluded."group"
          RETURNING id),
        v AS (
          INSERT INTO verdicts (target, state, cause, since, rule)
          SELECT i.id, 'unknown', 'self', t.now, 'no_location' FROM i, t ON CONFLICT (target) DO NOTHING)
        UPDATE log_head SET declared = g.version FROM g RETURNING log_head.declared
        """,
        name: "declare_targets"
    )

    /// The values of `$1` to `$9`. Of declarations with one id, the last is written.
    var parameters: [DatabaseValue] {
        var places: [String: Int] = [:]
        var distinct: [Declaration] = []
        for declaration in declarations {
            if let place = places[declaration.id] {
                distinct[place] = declaration
            } else {
                places[declaration.id] = distinct.count
                distinct.append(declaration)
            }
        }
        return [
            .texts(distinct.map(\.id)), .integers(distinct.map { Int64($0.shard.placement) }),
            .integers(distinct.map { Int64($0.shard.number) }), .texts(distinct.map(\.spec)), .text(origin),
            source.map(DatabaseValue.text) ?? .null, .integers(distinct.map(\.interval.microseconds)),
            .booleans(distinct.map(\.isPartialUp)), .texts(distinct.map(\.group)),
        ]
    }
}
