// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
internal import PostgreSQL

/// A filter of the fleet's targets: all conditions must hold, and one of the alternatives within each.
package struct FleetTargetFilter: Sendable, Hashable {
    /// Ids; empty for all.
    package var ids: Set<String> = []
    /// Labels that a target must all have, with their values.
    package var tags: [String] = []
    /// Groups; empty for all.
    package var groups: [String] = []
    /// States; empty for all.
    package var states: Set<TargetState> = []
    /// Part of the id, the name or the declared address, without regard to case.
    package var text = ""

    /// Creates a filter that matches all.
    package init() {}

    /// Whether the number of matches is the same in two versions.
    func hasSameMatches(_ one: FleetVersion, _ other: FleetVersion) -> Bool {
        one.declared == other.declared && one.epoch == other.epoch && (states.isEmpty || one.sequence == other.sequence)
    }

    /// The condition on `targets t` and its parameters.
    ///
    /// - Parameter number: that of the first parameter.
    func conditions(from number: Int) -> (text: String, values: [DatabaseValue]) {
        var text = ""
        var values: [DatabaseValue] = []
        func add(_ condition: (String) -> String, _ value: DatabaseValue) {
            text += " AND " + condition("$\(number + values.count)")
            values.append(value)
        }
        if !ids.isEmpty { add({ "t.id = ANY(\($0)::text[])" }, .texts(ids.sorted())) }
        if !tags.isEmpty { add({ "t.tags @> \($0)::text[]" }, .texts(tags)) }
        if !groups.isEmpty { add({ "t.\"group\" = ANY(\($0)::text[])" }, .texts(groups)) }
        if !states.isEmpty {
            add(
                { "EXISTS (SELECT FROM verdicts q WHERE q.target = t.id AND q.state = ANY(\($0)::text[]))" },
                .texts(states.map(\.rawValue).sorted())
            )
        }
        if !self.text.isEmpty {
            // A declaration without the text anywhere need not be parsed; JSON escapes quotes and backslashes.
            add(
                {
                    """
                    (\($0)::text ~ '["\\\\]' OR strpos(lower(t.spec), lower(\($0)::text)) > 0) AND (
                        strpos(lower(t.id), lower(\($0)::text)) > 0
                        OR strpos(lower(t.spec::json->>'name'), lower(\($0)::text)) > 0
                        OR coalesce((t.spec::json->>'hide_address')::boolean, false) = false AND (
                          strpos(lower(t.spec::json->>'host'), lower(\($0)::text)) > 0
                          OR strpos(lower(t.spec::json->>'address'), lower(\($0)::text)) > 0))
                    """
                },
                .text(self.text)
            )
        }
        return (text, values)
    }

    /// Counts the matches.
    var count: FleetQuestion<Int> {
        let conditions = conditions(from: 1)
        let statement = Statement("SELECT count(*) FROM targets t WHERE true\(conditions.text)", name: "count_targets")
        return FleetQuestion(statement, conditions.values) { rows throws(DatabaseError) in
            Int(clamping: try rows.count(0, 0))
        }
    }
}
