// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The part of initialization outside of the tables: roles, the schema, and the settings of the login role.
extension SchemaPlan {
    /// The settings of the login role in the fleet's database. A pooler does not forward those of a session.
    ///
    /// A statement waits for a lock for less than its deadline at the client, so that the connection stays open.
    static let settings = [
        (name: "statement_timeout", value: "5s"),
        (name: "lock_timeout", value: "1s"),
        (name: "idle_in_transaction_session_timeout", value: "5s"),
        // The planner takes small tables without statistics for large ones, and compiles a statement of 10 ms for a second.
        (name: "jit", value: "off"),
    ]

    /// The login role.
    ///
    /// - Throws: `login_role`, `login_role_in_use`.
    func usableLogin(_ facts: SchemaFacts, _ name: String) throws(SchemaFailure) -> SchemaFacts.Login {
        guard let login = facts.login else {
            throw problem(
                .loginRole,
                "the login role \(SchemaProblem.shown(name)) does not exist",
                next: "create it, for example with createuser --pwprompt, then run \(command) again"
            )
        }
        guard login.canLogIn, login.inheritsPrivileges || facts.membershipsInherit else {
            let attribute = login.canLogIn ? "INHERIT" : "LOGIN"
            throw problem(
                .loginRole,
                "the role \(SchemaProblem.shown(name)) has no attribute \(attribute)",
                next: "execute ALTER ROLE \(SQLIdentifier.quote(name)) \(attribute), then run \(command) again"
            )
        }
        if let path = login.settings.first(where: { $0.hasPrefix("search_path=") }), path != login.wantedPath {
            let reset =
                "ALTER ROLE \(SQLIdentifier.quote(name)) IN DATABASE \(SQLIdentifier.quote(facts.database)) RESET search_path"
            throw problem(
                .loginRoleInUse,
                "the login role \(SchemaProblem.shown(name)) has \(path) in database \(facts.database) and may serve another fleet",
                next: "create another login role, or execute \(reset)"
            )
        }
        return login
    }

    /// Creates the group roles, and lets the user act as the owner.
    func roles(_ facts: SchemaFacts) -> [SchemaAction] {
        var actions = [schema.owner, schema.node, schema.reader].map { role in
            facts.groupRoles.contains(role)
                ? SchemaAction(report: SchemaStep(.role(role), .existed))
                : SchemaAction(
                    "CREATE ROLE \(SQLIdentifier.quote(role)) NOLOGIN",
                    name: "create_role",
                    step: SchemaStep(.role(role), .done)
                )
        }
        // Superusers need no membership.
        guard !facts.isSuperuser else { return actions }
        let membership = SchemaStep.Subject.membership(role: schema.owner, member: facts.user)
        actions.append(
            facts.isOwner
                ? SchemaAction(report: SchemaStep(membership, .existed))
                : SchemaAction(
                    "GRANT \(SQLIdentifier.quote(schema.owner)) TO CURRENT_USER",
                    name: "grant_owner",
                    step: SchemaStep(membership, .done)
                )
        )
        return actions
    }

    /// Creates the schema, or takes over an empty one.
    func schema(_ facts: SchemaFacts) -> SchemaAction {
        let owner = SQLIdentifier.quote(schema.owner)
        guard let found = facts.schemaOwner else {
            return SchemaAction(
                "CREATE SCHEMA \(schema.quoted) AUTHORIZATION \(owner)",
                name: "create_schema",
                step: SchemaStep(.schema(schema.text), .done)
            )
        }
        let step = SchemaStep(.schema(schema.text), .existed)
        // An administrator may have created it, empty.
        return found == schema.owner
            ? SchemaAction(report: step)
            : SchemaAction("ALTER SCHEMA \(schema.quoted) OWNER TO \(owner)", name: "own_schema", step: step)
    }

    /// Makes the login role a node's.
    func settings(_ facts: SchemaFacts, _ name: String, _ login: SchemaFacts.Login) -> [SchemaAction] {
        let role = SQLIdentifier.quote(name)
        let membership = SchemaStep.Subject.membership(role: schema.node, member: name)
        var actions = [
            login.isNode
                ? SchemaAction(report: SchemaStep(membership, .existed))
                : SchemaAction(
                    "GRANT \(SQLIdentifier.quote(schema.node)) TO \(role)\(facts.membershipsInherit ? " WITH INHERIT TRUE" : "")",
                    name: "grant_node",
                    step: SchemaStep(membership, .done)
                )
        ]
        let path = (name: "search_path", value: schema.quoted, stored: login.wantedPath)
        let others = Self.settings.map { (name: $0.name, value: "'\($0.value)'", stored: "\($0.name)=\($0.value)") }
        for setting in [path] + others {
            let shown = String(setting.stored.dropFirst(setting.name.count + 1))
            let subject = SchemaStep.Subject.setting(role: name, name: setting.name, value: shown)
            guard !login.settings.contains(setting.stored) else {
                actions.append(SchemaAction(report: SchemaStep(subject, .existed)))
                continue
            }
            actions.append(
                SchemaAction(
                    "ALTER ROLE \(role) IN DATABASE \(SQLIdentifier.quote(facts.database)) SET \(setting.name) = \(setting.value)",
                    name: "set_\(setting.name)",
                    step: SchemaStep(subject, .done)
                )
            )
        }
        if login.isSuperuser || login.isOwner || facts.user == name {
            actions.append(SchemaAction(report: SchemaStep(.unlimitedRole(name), .warning)))
        }
        return actions
    }
}
