// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
internal import Synchronization

/// A PostgreSQL server of a test's own on 127.0.0.1 and on a Unix socket, in a temporary folder; ended at the latest when this object
/// goes. The role `reachd` owns the database `reachd`, and needs its password over TCP.
package final class PostgreSQLServer: Sendable {
    /// The port, on 127.0.0.1 and in the name of the Unix socket.
    package let port: UInt16
    /// The folder of the Unix socket; it also holds the data.
    package let folder: TemporaryFolder
    /// The password of the role `reachd`.
    package static let password = "pass'word \\ 7"
    /// The path of a file that contains the password.
    package let passwordFile: String
    private let process = Mutex<ServerProcess?>(nil)

    /// Why servers cannot be started here, for the traits of tests; nil when they can.
    package static let obstacle: String? =
        binaries == nil
        ? "needs PostgreSQL: /usr/lib/postgresql/*/bin/postgres does not exist (scripts/bootstrap test installs it)"
        : nil

    /// The folder of the newest version's programs.
    private static let binaries: String? = {
        guard let list = try? Command.run(["sh", "-c", "ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V"]) else {
            return nil
        }
        return list.split(whereSeparator: \.isNewline).map(String.init).last {
            unsafe access("\($0)/postgres", X_OK) == 0
        }
    }()

    /// Initializes a cluster, starts it and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - settings: Lines for `postgresql.conf`, by name.
    ///   - certificate: The certificate to serve TLS with; nil for a server without TLS.
    ///   - isStandby: Whether the server stays in recovery, as a standby whose primary does not answer.
    package init(
        settings: [String: String] = [:],
        certificate: SelfSignedCertificate? = nil,
        isStandby: Bool = false
    ) throws {
        folder = try TemporaryFolder()
        passwordFile = try folder.write("\(Self.password)\n", to: "password")
        port = try LoopbackPort.free()
        try Command.run(["chmod", "755", folder.path])
        if let certificate {
            try Command.run(["cp", certificate.path, folder.path(of: "server.pem")])
            try Command.run(["install", "-m", "600", certificate.key, folder.path(of: "server.key")])
        }
        try DatabaseAccount.own(folder.path)
        try Self.run([
            "initdb", "--pgdata", data, "--username", "admin", "--auth", "trust", "--no-sync", "--locale", "C",
            "--encoding",
            "UTF8",
        ])
        var lines = [
            "listen_addresses": "127.0.0.1", "port": "\(port)", "unix_socket_directories": folder.path, "fsync": "off",
            "max_wal_senders": "0", "wal_level": "minimal", "shared_buffers": "16MB", "log_min_messages": "log",
        ]
        if certificate != nil {
            lines["ssl"] = "on"
            lines["ssl_cert_file"] = folder.path(of: "server.pem")
            lines["ssl_key_file"] = folder.path(of: "server.key")
        }
        if isStandby {
            // A standby can read only a log with its details.
            lines["wal_level"] = "replica"
        }
        lines.merge(settings) { _, new in new }
        let text = lines.map { "\($0.key) = '\($0.value)'\n" }.sorted().joined()
        try folder.write(text, to: "data/postgresql.conf")
        let access = "local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        try folder.write(access, to: "data/pg_hba.conf")
        try start()
        let quoted = Self.password.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        try execute("CREATE ROLE reachd LOGIN PASSWORD '\(quoted)'", database: "postgres")
        try execute("CREATE DATABASE reachd OWNER reachd", database: "postgres")
        if isStandby {
            try stop()
            try folder.write("", to: "data/standby.signal")
            try DatabaseAccount.own(folder.path(of: "data/standby.signal"))
            try start()
        }
    }

    /// Creates a streaming standby of a running server that has the settings ``copyable``, and starts it.
    ///
    /// - Parameters:
    ///   - primary: The server.
    ///   - name: The name by which the primary knows it.
    package init(standbyOf primary: PostgreSQLServer, name: String) throws {
        folder = try TemporaryFolder()
        passwordFile = try folder.write("\(Self.password)\n", to: "password")
        port = try LoopbackPort.free()
        try Command.run(["chmod", "755", folder.path])
        try DatabaseAccount.own(folder.path)
        try primary.copy(to: data, options: ["--write-recovery-conf"], name: name)
        let file = folder.path(of: "data/postgresql.conf")
        try Self.append("port = '\(port)'\nunix_socket_directories = '\(folder.path)'\n", to: file)
        try start()
    }

    deinit {
        let segment = sharedMemory
        kill()
        // The kernel keeps it otherwise, and has room for 4,096.
        if let segment { _ = shmctl(segment, IPC_RMID, nil) }
    }

    /// The number of the shared memory that the server created last; nil when it was never started.
    private var sharedMemory: Int32? {
        // Seven lines at most, the last one with the key and the number (PostgreSQL's miscadmin.h, LOCK_FILE_LINE_SHMEM_KEY).
        let lines = (try? Command.run(["cat", data + "/postmaster.pid"]))?.split(separator: "\n") ?? []
        return lines.lazy.compactMap { line in
            let fields = line.split(separator: " ")
            return fields.count == 2 ? Int32(fields[1]) : nil
        }.first
    }

    /// A connection URI of the role `reachd` over TCP, without a password.
    ///
    /// - Parameters:
    ///   - parameters: What follows the question mark.
    ///   - host: The host; another name than an address is resolved by the client.
    package func uri(_ parameters: String = "sslmode=disable", host: String = "127.0.0.1") -> String {
        "postgresql://reachd@\(host):\(port)/reachd?\(parameters)"
    }

    /// A connection URI of the role `reachd` over the Unix socket, which needs no password.
    package var socketURI: String { "postgresql:///reachd?host=\(folder.path)&port=\(port)&user=reachd" }

    /// Executes SQL as the superuser with psql.
    ///
    /// - Returns: The output, without headers and alignment.
    @discardableResult
    package func execute(_ sql: String, database: String = "reachd") throws -> String {
        try Command.run([
            "\(Self.binaries ?? "")/psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set",
            "ON_ERROR_STOP=1",
            "--host", folder.path, "--port", "\(port)", "--username", "admin", "--dbname", database, "--command", sql,
        ])
    }

    /// Executes a query again and again until its output is a value; ends when the test is cancelled.
    package func wait(for query: String, toBe value: String) throws {
        while try execute(query) != "\(value)\n" { try Task.checkCancellation() }
    }

    /// Starts the server after ``stop()`` or ``kill()`` and waits until it accepts connections.
    package func start() throws {
        let arguments = DatabaseAccount.prefix + ["\(Self.binaries ?? "")/postgres", "-D", data]
        let started = try ServerProcess(arguments, readyLine: "ready to accept")
        process.withLock { $0 = started }
    }

    /// Ends the server and its sessions in order (fast shutdown), and waits for the end.
    package func stop() throws {
        let running = process.withLock { process in
            defer { process = nil }
            return process
        }
        running?.signal(SIGINT)
        running?.wait()
    }

    /// Kills the server and its sessions at once.
    package func kill() {
        let running = process.withLock { process in
            defer { process = nil }
            return process
        }
        running?.kill()
    }

    /// Stops all processes of the server: the kernel still accepts and acknowledges what is sent to it.
    package func freeze() { process.withLock { $0 }?.signalAll(SIGSTOP) }

    /// Continues them.
    package func thaw() { process.withLock { $0 }?.signalAll(SIGCONT) }

    var data: String { folder.path(of: "data") }

    static func run(_ arguments: [String]) throws {
        try Command.run(DatabaseAccount.prefix + ["\(binaries ?? "")/\(arguments[0])"] + arguments.dropFirst())
    }
}
