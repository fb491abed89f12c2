// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Base backups and standbys.
extension PostgreSQLServer {
    /// The settings of a server that can be copied while it runs.
    package static let copyable = ["wal_level": "replica", "max_wal_senders": "4", "hot_standby": "on"]

    /// Copies the running server's data, for ``restoreBackup()``.
    package func backUp() throws { try copy(to: folder.path(of: "backup")) }

    /// Replaces the data of the stopped server by those of ``backUp()``, and starts it: as after every recovery, on a new timeline.
    package func restoreBackup() throws {
        try Command.run(["rm", "-rf", data])
        try Command.run(["mv", folder.path(of: "backup"), data])
        try Self.append("restore_command = 'false'\n", to: folder.path(of: "data/postgresql.conf"))
        try folder.write("", to: "data/recovery.signal")
        try DatabaseAccount.own(folder.path(of: "data/recovery.signal"))
        try start()
        try wait(for: "SELECT pg_is_in_recovery()", toBe: "f")
    }

    /// Makes a standby a primary.
    package func promote() throws {
        try execute("SELECT pg_promote()", database: "postgres")
        try wait(for: "SELECT pg_is_in_recovery()", toBe: "f")
    }

    func copy(to path: String, options: [String] = [], name: String = "backup") throws {
        let connection = "host=\(folder.path) port=\(port) user=admin application_name=\(name)"
        try Self.run(
            ["pg_basebackup", "--dbname", connection, "--pgdata", path, "--checkpoint", "fast", "--no-sync"] + options
        )
    }

    static func append(_ lines: String, to path: String) throws {
        try Command.run(["sh", "-c", "printf %s \"$1\" >>\"$2\"", "sh", lines, path])
    }
}
