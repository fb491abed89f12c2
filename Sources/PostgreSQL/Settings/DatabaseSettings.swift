// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// How to reach a database and how long to wait for it.
///
/// The parameters come from a connection URI of libpq. Service files, `~/.pgpass`, `~/.postgresql` and the environment variables
/// that name hosts, roles, databases, files or the mode of TLS have no effect, because each connection passes those parameters.
/// Where libpq permits no such value (`PGSERVICE`, `PGOPTIONS`, and `PGPASSWORD` without a password file), the variable is an
/// error. The others can only reject a server (`PGREQUIREAUTH`, `PGREQUIREPEER`), or set a time zone and a format of dates.
package struct DatabaseSettings: Sendable, Hashable {
    /// The hosts, in the order in which they are tried.
    let hosts: [DatabaseHost]
    /// The role.
    package let user: String
    /// The database's name.
    package let database: String
    /// What the session must satisfy (`target_session_attrs`).
    let session: SessionRequirement
    /// The other parameters, for libpq.
    let parameters: [String: String]

    /// A file that contains the password, or nil. It is read anew for each attempt, at most ``PasswordFile/limit`` bytes, without one
    /// line end at its end.
    package var passwordFile: String?
    /// The deadline of one attempt: one address of one host, from the TCP connection to the check of the session; also the deadline
    /// of resolving one host name. `connect_timeout` in the URI sets it.
    package var attemptTimeout: Duration
    /// The deadline of connecting, over all hosts and addresses.
    package var connectTimeout: Duration = .seconds(10)
    /// The deadline of a statement, from sending it to the last byte of its result, unless the call has its own.
    package var statementTimeout: Duration = .seconds(2)
    /// The limit of a result: the bytes of its values, and the bytes that TCP receives for it.
    package var resultLimit = 64 << 20
    /// How many statements may wait for the one in flight.
    package var queueLimit = 1_024

    /// Where Debian's servers have their Unix socket.
    static let socketFolder = "/var/run/postgresql"
    /// Debian's bundle of trusted certificates, the default of `sslrootcert`.
    static let certificateBundle = "/etc/ssl/certs/ca-certificates.crt"

    /// Parses a connection URI such as `postgresql://reachd@db-1,db-2:5433/reachd?target_session_attrs=read-write`.
    ///
    /// Without `sslmode`, connections over TCP use `verify-full` with the system's trusted certificates. Without a host, the Unix
    /// socket in `/var/run/postgresql` is used.
    ///
    /// - Parameters:
    ///   - uri: The URI. A password in it is an error.
    ///   - passwordFile: The path of a file that contains the password.
    /// - Throws: `invalid_settings`; the message never quotes a password.
    package init(uri: String, passwordFile: String? = nil) throws(DatabaseError) {
        try self.init(uri: uri, passwordFile: passwordFile, environment: Self.variable)
    }

    /// The same with an environment of the caller's.
    init(uri: String, passwordFile: String?, environment: (String) -> String?) throws(DatabaseError) {
        // libpq would add their parameters to ours, and cannot be told otherwise.
        let rejected = ["PGSERVICE", "PGOPTIONS"] + (passwordFile == nil ? ["PGPASSWORD"] : [])
        for name in rejected where environment(name)?.isEmpty == false {
            throw DatabaseError(.invalidSettings, "the environment variable \(name) is not supported; unset it")
        }
        var values = try ConnectionURI.parse(uri)
        hosts = try DatabaseHost.list(
            names: values.removeValue(forKey: "host") ?? "",
            addresses: values.removeValue(forKey: "hostaddr") ?? "",
            ports: values.removeValue(forKey: "port") ?? ""
        )
        guard let user = values.removeValue(forKey: "user"), !user.isEmpty else {
            throw DatabaseError(.invalidSettings, "the URI names no user; write postgresql://USER@HOST/DATABASE")
        }
        self.user = user
        let named = values.removeValue(forKey: "dbname") ?? ""
        database = named.isEmpty ? user : named
        session = try SessionRequirement(parameter: values.removeValue(forKey: "target_session_attrs"))
        attemptTimeout = .seconds(2)
        if let text = values.removeValue(forKey: "connect_timeout") {
            guard let seconds = Int32(text), seconds > 0 else {
                throw DatabaseError(.invalidSettings, "connect_timeout is not a number of seconds above 0")
            }
            attemptTimeout = .seconds(Int64(seconds))
        }
        let mode = values["sslmode"] ?? "verify-full"
        guard ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"].contains(mode) else {
            throw DatabaseError(
                .invalidSettings,
                "sslmode is invalid (allowed: disable, allow, prefer, require, verify-ca, verify-full)"
            )
        }
        values["sslmode"] = mode
        if values["sslrootcert"] == "system" || (values["sslrootcert"] == nil && mode.hasPrefix("verify-")) {
            // The word is known to libpq from version 16 on.
            values["sslrootcert"] = Self.certificateBundle
        }
        if (values["application_name"] ?? "").isEmpty { values["application_name"] = "reachd" }
        parameters = values
        self.passwordFile = passwordFile
    }

    /// libpq's parameters for one attempt.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - address: Its address; nil for a Unix socket.
    func parameters(for host: DatabaseHost, address: String?) -> [String: String] {
        // Paths without a file replace those in the home folder; libpq treats an empty value like an absent one.
        var all = [
            "passfile": Self.noFile, "sslcert": Self.noFile, "sslkey": Self.noFile, "sslrootcert": Self.noFile,
            "sslcrl": Self.noFile, "sslcrldir": Self.noFile, "sslsni": "1", "ssl_min_protocol_version": "TLSv1.2",
            "channel_binding": "prefer", "keepalives": "1",
        ]
        all.merge(parameters) { _, new in new }
        all["host"] = host.name
        all["hostaddr"] = address
        all["port"] = String(host.port)
        all["user"] = user
        all["dbname"] = database
        // A Unix socket needs no encryption.
        if host.isSocket { all["sslmode"] = "disable" }
        all["gssencmode"] = "disable"
        all["client_encoding"] = "UTF8"
        // libpq would need a second host and would not limit the time of the first; the connector checks the session itself.
        all["target_session_attrs"] = "any"
        return all
    }

    private static let noFile = "/nonexistent/reachd"
}
