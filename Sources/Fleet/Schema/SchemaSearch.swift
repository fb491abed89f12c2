// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// What the catalogs say when the check's statement fails.
struct SchemaSearch {
    let user: String
    let database: String
    let serverVersion: Int64
    let isStandby: Bool
    /// The schemas that the role's search path names, without PostgreSQL's defaults.
    let path: [String]
    /// Some schemas of this database that contain a fleet.
    let fleets: [String]

    static let statement = Statement(
        """
        SELECT current_user::text, current_database()::text, current_setting('server_version_num')::bigint,
            ARRAY(SELECT trim(BOTH ' "' FROM p) FROM unnest(string_to_array(current_setting('search_path'), ',')) p LIMIT 100),
            ARRAY(SELECT n.nspname::text FROM pg_namespace n
                WHERE (SELECT count(*) = 2 FROM pg_class c
                    WHERE c.relnamespace = n.oid AND c.relname IN ('schema_versions', 'log_head'))
                ORDER BY n.nspname LIMIT 100),
            pg_is_in_recovery()
        """,
        name: "explain_schema"
    )

    /// Reads the row.
    ///
    /// - Throws: `unexpected_answer`.
    init(_ rows: DatabaseRows) throws(DatabaseError) {
        user = try rows.text(0, 0)
        database = try rows.text(0, 1)
        serverVersion = try rows.integer(0, 2)
        path = try rows.texts(0, 3).compactMap { $0 }.filter { !["", "$user", "public"].contains($0) }
        fleets = try rows.texts(0, 4).compactMap { $0 }
        isStandby = try rows.bool(0, 5)
    }

    /// What is missing.
    func explain() -> SchemaProblem {
        if serverVersion < 130_000 { return .serverTooOld(serverVersion) }
        // Neither a schema nor a role can be created there.
        if isStandby { return SchemaProblem(.standby, "the server is a standby", next: SchemaProblem.connectToPrimary) }
        if let schema = path.first(where: { fleets.contains($0) }) ?? (path.isEmpty ? fleets.first : nil) {
            return .roleMissing(user: user, schema: schema)
        }
        let place = path.first.map { " in schema \($0)" } ?? ""
        return SchemaProblem(
            .schemaMissing,
            "database \(database) has no fleet\(place)",
            next: "run reachd fleet init --schema \(path.first ?? SchemaName.standard.text) --user \(user)"
        )
    }
}
