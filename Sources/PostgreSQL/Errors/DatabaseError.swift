// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// Why a connection could not be opened, ended, or did not execute a statement.
package struct DatabaseError: Error, Sendable, Hashable {
    /// The closed list of reasons; the raw values are stable codes.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        // Opening a connection.

        /// The URI or another setting is invalid.
        case invalidSettings = "invalid_settings"
        /// The password file cannot be read, is empty or is too large.
        case passwordFile = "password_file"
        /// A host name has no address, or no name server answered.
        case resolutionFailed = "resolution_failed"
        /// Nothing accepts connections there, or no packet gets there.
        case unreachable
        /// The deadline for connecting passed.
        case connectTimeout = "connect_timeout"
        /// The TLS handshake failed, or the certificate is not trusted.
        case tlsFailed = "tls_failed"
        /// The certificate is for another name.
        case tlsNameMismatch = "tls_name_mismatch"
        /// The server rejected user, password or client address (class 28), or requires a password that is not configured.
        case authenticationFailed = "authentication_failed"
        /// The database does not exist (3D000).
        case noSuchDatabase = "no_such_database"
        /// The server has no connection left for this user, database or at all (53300).
        case tooManyConnections = "too_many_connections"
        /// The server is older than PostgreSQL 13.
        case serverTooOld = "server_too_old"
        /// The session does not satisfy `target_session_attrs`, for example because the server is a standby.
        case wrongSession = "wrong_session"

        // Statements that the server rejected. The connection stays open.

        /// The server cancelled the statement (57014), for example by its `statement_timeout`.
        case statementTimeout = "statement_timeout"
        /// A lock was not granted in time (55P03).
        case lockTimeout = "lock_timeout"
        /// The server has no room on its disk (53100).
        case diskFull = "disk_full"
        /// The server has no memory or reached another limit of its configuration (other states of classes 53 and 54).
        case outOfResources = "out_of_resources"
        /// The transaction is read-only (25006), for example on a standby.
        case readOnly = "read_only"
        /// The role may not do this (42501).
        case permissionDenied = "permission_denied"
        /// A table, schema, function, column or other object does not exist.
        case missingObject = "missing_object"
        /// The server rejected a value (class 22), or a value cannot be sent.
        case invalidInput = "invalid_input"
        /// The statement would violate a constraint (class 23).
        case constraint
        /// A serialization failure or a deadlock (class 40): the statement can be retried.
        case serialization
        /// The statement is invalid (other states of class 42).
        case invalidStatement = "invalid_statement"
        /// Any other error of the server.
        case serverError = "server_error"

        // The connection ended.

        /// The client's deadline for a statement passed.
        case timeout
        /// The server shuts down, starts, or an administrator ended the connection (57P01 to 57P05).
        case shuttingDown = "shutting_down"
        /// The server or the network ended the connection.
        case connectionLost = "connection_lost"
        /// The peer violates the protocol, or a statement uses what is not supported here, such as COPY.
        case protocolViolation = "protocol"
        /// The result exceeds the limit.
        case resultTooLarge = "result_too_large"
        /// The connection was closed, or is not open.
        case closed

        // Decisions of the client.

        /// Too many statements wait for this connection.
        case queueFull = "queue_full"
        /// A result has another form than its reader expects.
        case unexpectedAnswer = "unexpected_answer"
    }

    /// The reason.
    package let reason: Reason
    /// The server's SQLSTATE; nil when the error is not the server's.
    package let sqlState: String?
    /// One line for people, without secrets; at most ``messageLimit`` characters.
    package let message: String

    /// The length limit of a message, in Unicode scalars.
    package static let messageLimit = 500

    /// Creates an error; control characters and line ends in the message become spaces.
    package init(_ reason: Reason, _ message: String, sqlState: String? = nil) {
        self.reason = reason
        self.sqlState = sqlState
        self.message = DisplayText.line(message, limit: Self.messageLimit)
    }

    /// An error that the server reported.
    init(sqlState: String, message: String) {
        self.init(SQLState.reason(of: sqlState), message, sqlState: sqlState)
    }

    /// The same with a prefix that names the host or the statement.
    func prefixed(_ prefix: String) -> DatabaseError {
        DatabaseError(reason, "\(prefix): \(message)", sqlState: sqlState)
    }
}

extension DatabaseError: CustomStringConvertible {
    /// The code, the SQLSTATE and the message.
    package var description: String {
        "\(reason.rawValue)\(sqlState.map { " (SQLSTATE \($0))" } ?? ""): \(message)"
    }
}
