// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// pgbouncer in transaction mode in front of a server, on 127.0.0.1; ended when this object goes.
package final class PoolerServer: Sendable {
    /// Where it listens.
    package let port: UInt16
    private let folder: TemporaryFolder
    private let server: PostgreSQLServer
    private let process: ServerProcess

    /// Why it cannot be started here, for the traits of tests; nil when it can.
    package static let obstacle: String? =
        unsafe access(program, X_OK) == 0
        ? PostgreSQLServer.obstacle : "needs pgbouncer: \(program) does not exist (scripts/bootstrap test installs it)"
    private static let program = "/usr/sbin/pgbouncer"

    /// Starts a pooler with one connection to the server.
    ///
    /// - Parameters:
    ///   - server: The server; its Unix socket is used.
    ///   - certificate: The certificate to serve TLS with; nil for none.
    package init(for server: PostgreSQLServer, certificate: SelfSignedCertificate? = nil) throws {
        self.server = server
        folder = try TemporaryFolder()
        port = try LoopbackPort.free()
        var lines = [
            "[databases]", "reachd = host=\(server.folder.path) port=\(server.port) dbname=reachd user=reachd",
            "[pgbouncer]",
            "listen_addr = 127.0.0.1", "listen_port = \(port)", "unix_socket_dir =", "auth_type = any",
            "pool_mode = transaction", "default_pool_size = 1", "log_connections = 0",
        ]
        if let certificate {
            try Command.run(["cp", certificate.path, folder.path(of: "server.pem")])
            try Command.run(["install", "-m", "600", certificate.key, folder.path(of: "server.key")])
            lines += [
                "client_tls_sslmode = require", "client_tls_cert_file = \(folder.path(of: "server.pem"))",
                "client_tls_key_file = \(folder.path(of: "server.key"))",
            ]
        }
        let configuration = try folder.write(lines.joined(separator: "\n") + "\n", to: "pgbouncer.ini")
        try DatabaseAccount.own(folder.path)
        process = try ServerProcess(DatabaseAccount.prefix + [Self.program, configuration], readyLine: "process up")
    }

    /// A connection URI through the pooler.
    package func uri(_ parameters: String = "sslmode=disable", host: String = "127.0.0.1") -> String {
        "postgresql://reachd@\(host):\(port)/reachd?\(parameters)"
    }
}
