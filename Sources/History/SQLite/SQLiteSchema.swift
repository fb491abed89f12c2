// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is in the file, and how a file of an earlier version becomes one of this.
///
/// `PRAGMA user_version` is the version. A migration is a transaction: a file has one version or the other.
package struct SQLiteSchema: Sendable {
    /// `PRAGMA application_id` of the event log: "rchd".
    package static let applicationID: Int64 = 0x7263_6864

    /// What this version of reachd reads and writes.
    static let current = SQLiteSchema(migrations: [Self.events, Self.rollups, Self.incidents])

    /// The statements that lead from each version to the next; the first makes an empty file one of version 1.
    let migrations: [String]
    /// `PRAGMA application_id`, which keeps files of one kind from being taken for another.
    let applicationID: Int64

    /// Names what is in a kind of file.
    package init(migrations: [String], applicationID: Int64 = Self.applicationID) {
        self.migrations = migrations
        self.applicationID = applicationID
    }

    var version: Int64 { Int64(migrations.count) }

    /// Version 1. Transitions stand in columns so that queries need not look into the data.
    private static let events = """
        CREATE TABLE meta(
            name TEXT PRIMARY KEY NOT NULL,
            value NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE events(
            sequence INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            type TEXT NOT NULL,
            target TEXT,
            "group" TEXT,
            tags TEXT,
            status_changed INTEGER NOT NULL,
            from_state TEXT,
            to_state TEXT,
            reason TEXT,
            cause TEXT,
            data TEXT NOT NULL,
            supplement TEXT
        );
        CREATE INDEX transitions ON events(target, sequence) WHERE to_state IS NOT NULL;
        CREATE TABLE gaps(
            first INTEGER PRIMARY KEY,
            last INTEGER NOT NULL,
            began INTEGER NOT NULL,
            ended INTEGER NOT NULL,
            reason TEXT NOT NULL
        );
        """

    /// Version 2. Times are numbers of minutes, hours and days since 1970. What is not made into hours and days yet stands in
    /// `rollup_unfolded`, with the length of what has to be made in milliseconds.
    private static let rollups = """
        CREATE TABLE rollup_targets(
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            added INTEGER NOT NULL
        );
        CREATE TABLE rollup_minutes(
            start INTEGER NOT NULL,
            target INTEGER NOT NULL,
            data BLOB NOT NULL,
            PRIMARY KEY(start, target)
        ) WITHOUT ROWID;
        CREATE TABLE rollup_hours(
            target INTEGER NOT NULL,
            start INTEGER NOT NULL,
            data BLOB NOT NULL,
            PRIMARY KEY(target, start)
        ) WITHOUT ROWID;
        CREATE TABLE rollup_days(
            target INTEGER NOT NULL,
            start INTEGER NOT NULL,
            data BLOB NOT NULL,
            PRIMARY KEY(target, start)
        ) WITHOUT ROWID;
        CREATE TABLE rollup_unfolded(
            length INTEGER NOT NULL,
            start INTEGER NOT NULL,
            PRIMARY KEY(length, start)
        ) WITHOUT ROWID;
        """

    /// Version 3. Times are milliseconds since 1970.
    private static let incidents = """
        CREATE TABLE incidents(
            number INTEGER PRIMARY KEY,
            closed INTEGER,
            data TEXT NOT NULL
        );
        CREATE INDEX closed_incidents ON incidents(closed) WHERE closed IS NOT NULL;
        CREATE TABLE incident_members(
            incident INTEGER NOT NULL,
            target TEXT NOT NULL,
            name TEXT,
            "group" TEXT,
            state TEXT NOT NULL,
            first INTEGER NOT NULL,
            "from" INTEGER NOT NULL,
            until INTEGER,
            end TEXT,
            turns INTEGER NOT NULL,
            distance INTEGER NOT NULL,
            PRIMARY KEY(incident, target)
        ) WITHOUT ROWID;
        """

    /// Makes a file one of this version.
    ///
    /// - Throws: ``HistoryError/Code/tooNew`` for a later version's file, ``HistoryError/Code/foreign`` for one of another
    ///   program.
    func migrate(_ database: SQLiteDatabase) throws(HistoryError) {
        let found = try database.integer("PRAGMA user_version") ?? 0
        let application = try database.integer("PRAGMA application_id") ?? 0
        let tables = try database.integer("SELECT count(*) FROM sqlite_schema")
        let isEmpty = found == 0 && tables == 0
        guard isEmpty || application == applicationID else {
            throw HistoryError(.foreign, "\(database.path) is a file of another program")
        }
        guard found <= version else {
            throw HistoryError(
                .tooNew,
                "\(database.path) has version \(found); this reachd supports versions up to \(version)"
            )
        }
        for step in Int(found)..<migrations.count {
            try database.transaction { () throws(HistoryError) in
                if step == 0 { try database.execute("PRAGMA application_id = \(applicationID)") }
                try database.execute(migrations[step])
                try database.execute("PRAGMA user_version = \(step + 1)")
            }
        }
    }
}
