// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import PostgreSQL
import Schema

extension ConfigurationSchema {
    /// `fleet`.
    static let fleet: [Key] = [
        Key(
            "database",
            \.fleet.database,
            .text(.databaseURI),
            needsRestart: true,
            example: "postgresql://reachd@db-1.example,db-2.example/reachd",
            synonyms: ["url", "uri", "dsn", "postgres", "postgresql", "connection"],
            "The fleet's PostgreSQL database, as a connection URI of libpq without a password. Several hosts are tried "
                + "in order. Without sslmode the server's certificate and name are verified. Default: reachd belongs to "
                + "no fleet."
        ),
        Key(
            "password_file",
            \.fleet.passwordFile,
            .text(.path),
            needsRestart: true,
            example: "/run/secrets/reachd-database",
            synonyms: ["password", "passfile"],
            "The file with the password of the database's role, read for each connection."
        ),
        Key(
            "node",
            \.fleet.node,
            .text(.identifier),
            needsRestart: true,
            example: "node-3",
            synonyms: ["name", "id", "node_name"],
            "The name of this node, unique in the fleet. Default: the host name."
        ),
        Key(
            "location",
            \.fleet.location,
            .text(.identifier),
            needsRestart: true,
            example: "berlin",
            synonyms: ["site", "region", "zone", "datacenter", "dc"],
            "Where this node observes from. Nodes of one location share its targets; several locations vote on each "
                + "target."
        ),
        Key(
            "url",
            \.fleet.url,
            .text(.line),
            needsRestart: true,
            example: "https://node-3.example:7532",
            synonyms: ["address", "advertise", "advertise_url"],
            "The URL of this node's HTTP interface, for links in the fleet's views."
        ),
        Key(
            "capacity",
            \.fleet.capacity,
            .integer(0...FleetNode.largestCapacity),
            needsRestart: true,
            synonyms: ["max_targets", "limit"],
            "The greatest number of targets that the fleet assigns to this node; 0 for none."
        ),
        Key(
            "coordinate",
            \.fleet.coordinates,
            .boolean,
            needsRestart: true,
            synonyms: ["coordinator"],
            "Whether this node may be the coordinator, which numbers the fleet's events. Set it to false far away from "
                + "the database."
        ),
        Key(
            "listen",
            \.fleet.listens,
            .boolean,
            needsRestart: true,
            synonyms: ["notify", "notifications"],
            "Whether the database's notifications (LISTEN) reach this node. Set it to false behind a pooler in transaction "
                + "mode: the coordinator then asks four times a second instead."
        ),
    ]
}

extension TextForm {
    /// The connection URI of a PostgreSQL database, without a password.
    static let databaseURI = TextForm(
        .init(
            words: "a connection URI such as postgresql://reachd@db.example/reachd",
            bounds: "`postgresql://USER@HOST[,HOST…]/DATABASE[?PARAMETER=VALUE…]`, without a password",
            expression: #"postgres(ql)?://[^\u0000-\u001f\u007f]*"#,
            example: "postgresql://reachd@db.example/reachd",
            counterexample: "db.example"
        ),
        limit: 4_095
    ) { text throws(Diagnostic) in
        do throws(DatabaseError) {
            _ = try DatabaseSettings(uri: text)
        } catch {
            let hint = "write postgresql://USER@HOST/DATABASE, and the password into password_file"
            throw Diagnostic("is not usable: \(error.message)", hint: hint).hidingText
        }
        return .text(text)
    }
}
