// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// What the server's catalogs contain before initialization or migration.
struct SchemaFacts: Sendable, Hashable {
    /// The server's version, as 150018 for 15.18.
    var serverVersion: Int64 = 0
    var isStandby = false
    /// Each membership states whether the member inherits privileges; before PostgreSQL 16 the member's role does.
    var membershipsInherit: Bool { serverVersion >= 160_000 }
    var database = ""
    /// The role that runs the command.
    var user = ""
    var isSuperuser = false
    /// The schema's owner; nil when there is no schema.
    var schemaOwner: String?
    /// The schema contains at least one table, type or function.
    var hasObjects = false
    /// The schema contains `schema_versions` and `log_head`.
    var hasFleet = false
    /// The existing roles of the schema.
    var groupRoles: Set<String> = []
    /// The user can act as the owner role.
    var isOwner = false
    /// The login role; nil when it does not exist or none was named.
    var login: Login?

    /// The login role of the nodes.
    struct Login: Sendable, Hashable {
        var canLogIn = true
        var inheritsPrivileges = true
        var isSuperuser = false
        /// It is a member of the node's role and inherits its privileges.
        var isNode = false
        /// It is a member of the owner's role.
        var isOwner = false
        /// Its settings in this database, as `name=value`.
        var settings: [String] = []
        /// The setting of its search path in the server's form.
        var wantedPath = ""
    }

    /// The query; its parameters are the schema, its three roles and the login role or NULL.
    static let statement = Statement(
        """
        SELECT current_setting('server_version_num')::bigint, pg_is_in_recovery(), current_database(), current_user::text,
            (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
            (SELECT pg_get_userbyid(nspowner)::text FROM pg_namespace WHERE oid = s.oid),
            EXISTS (SELECT FROM pg_class WHERE relnamespace = s.oid) OR EXISTS (SELECT FROM pg_proc WHERE pronamespace = s.oid)
                OR EXISTS (SELECT FROM pg_type WHERE typnamespace = s.oid),
            (SELECT count(*) = 2 FROM pg_class WHERE relnamespace = s.oid AND relname IN ('schema_versions', 'log_head')),
            ARRAY(SELECT rolname::text FROM pg_roles WHERE rolname IN ($2, $3, $4)),
            coalesce((SELECT pg_has_role(current_user, oid,
                CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'SET' ELSE 'MEMBER' END)
                FROM pg_roles WHERE rolname = $2), false),
            l.rolname IS NOT NULL, l.rolcanlogin, l.rolinherit, l.rolsuper,
            coalesce((SELECT CASE WHEN l.rolsuper THEN EXISTS (SELECT FROM pg_auth_members WHERE roleid = r.oid AND member = l.oid)
                ELSE pg_has_role(l.oid, r.oid, 'USAGE') END FROM pg_roles r WHERE rolname = $3), false),
            coalesce((SELECT pg_has_role(l.oid, oid, 'MEMBER') FROM pg_roles WHERE rolname = $2), false),
            coalesce((SELECT setconfig FROM pg_db_role_setting WHERE setrole = l.oid
                AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())), '{}'),
            'search_path=' || quote_ident($1)
        FROM (SELECT to_regnamespace(quote_ident($1))::oid AS oid) s LEFT JOIN pg_roles l ON l.rolname = $5
        """,
        name: "read_catalogs"
    )

    /// The query's parameters.
    static func parameters(_ schema: SchemaName, loginRole: String?) -> [DatabaseValue] {
        let roles = [schema.owner, schema.node, schema.reader].map(DatabaseValue.text)
        return [.text(schema.text)] + roles + [loginRole.map(DatabaseValue.text) ?? .null]
    }
}

extension SchemaFacts {
    /// Reads the query's row.
    ///
    /// - Throws: `unexpected_answer`.
    init(_ rows: DatabaseRows) throws(DatabaseError) {
        serverVersion = try rows.integer(0, 0)
        isStandby = try rows.bool(0, 1)
        database = try rows.text(0, 2)
        user = try rows.text(0, 3)
        isSuperuser = try rows.bool(0, 4)
        schemaOwner = try rows.optionalText(0, 5)
        hasObjects = try rows.bool(0, 6)
        hasFleet = try rows.bool(0, 7)
        groupRoles = Set(try rows.texts(0, 8).compactMap { $0 })
        isOwner = try rows.bool(0, 9)
        guard try rows.bool(0, 10) else { return }
        login = Login(
            canLogIn: try rows.bool(0, 11),
            inheritsPrivileges: try rows.bool(0, 12),
            isSuperuser: try rows.bool(0, 13),
            isNode: try rows.bool(0, 14),
            isOwner: try rows.bool(0, 15),
            settings: try rows.texts(0, 16).compactMap { $0 },
            wantedPath: try rows.text(0, 17)
        )
    }
}
