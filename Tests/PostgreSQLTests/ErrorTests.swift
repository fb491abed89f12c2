// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Testing

@testable import PostgreSQL

@Suite struct ErrorTests {
    @Test(
        "SQLSTATE codes have their reasons; unknown codes of a class have the class's",
        arguments: [
            ("28P01", DatabaseError.Reason.authenticationFailed), ("28000", .authenticationFailed),
            ("3D000", .noSuchDatabase),
            ("53300", .tooManyConnections), ("53100", .diskFull), ("53200", .outOfResources), ("25006", .readOnly),
            ("42501", .permissionDenied), ("42P01", .missingObject), ("3F000", .missingObject),
            ("42883", .missingObject),
            ("42703", .missingObject), ("42601", .invalidStatement), ("22P02", .invalidInput), ("22003", .invalidInput),
            ("23505", .constraint), ("23503", .constraint), ("40001", .serialization), ("40P01", .serialization),
            ("55P03", .lockTimeout), ("57014", .statementTimeout), ("57P01", .shuttingDown), ("57P02", .shuttingDown),
            ("57P03", .shuttingDown), ("25P03", .shuttingDown), ("XX000", .serverError), ("", .serverError),
            ("é", .serverError),
        ]
    )
    func states(code: String, reason: DatabaseError.Reason) {
        #expect(SQLState.reason(of: code) == reason)
    }

    @Test("The codes of the reasons are stable, and none occurs twice")
    func codes() {
        let codes = DatabaseError.Reason.allCases.map(\.rawValue)
        #expect(Set(codes).count == codes.count)
        #expect(
            codes.sorted() == [
                "authentication_failed", "closed", "connect_timeout", "connection_lost", "constraint", "disk_full",
                "invalid_input", "invalid_settings", "invalid_statement", "lock_timeout", "missing_object",
                "no_such_database",
                "out_of_resources", "password_file", "permission_denied", "protocol", "queue_full", "read_only",
                "resolution_failed", "result_too_large", "serialization", "server_error", "server_too_old",
                "shutting_down",
                "statement_timeout", "timeout", "tls_failed", "tls_name_mismatch", "too_many_connections",
                "unexpected_answer",
                "unreachable", "wrong_session",
            ]
        )
    }

    @Test("A message is one bounded line")
    func messages() {
        let error = DatabaseError(.protocolViolation, "a\nb\u{1B}[31m\u{202E}" + String(repeating: "x", count: 1_000))
        #expect(error.message.unicodeScalars.count == DatabaseError.messageLimit)
        #expect(error.message.hasPrefix("a b [31m x"))
        #expect(DatabaseError(sqlState: "42P01", message: "no").description == "missing_object (SQLSTATE 42P01): no")
    }

    @Test("The SQLSTATE of a failed start is found whatever the language of the severity")
    func verboseMessages() {
        #expect(SQLState.find(in: "connection to server at \"::1\", port 1 failed: FATAL:  28P01: no") == "28P01")
        #expect(SQLState.find(in: "… failed: SCHWERWIEGEND:  57P03: das Datenbanksystem startet") == "57P03")
        for text in ["", ":  ", "FATAL:  short: x", "a: 28P01: x", "FATAL:  28p01: x", "FATAL:  28P01"] {
            #expect(SQLState.find(in: text) == nil)
        }
    }

    @Test(
        "Faults without a code are told apart by the phase, and names by libpq's text",
        arguments: [
            (
                LibraryConnection.Phase.connecting,
                "connection to server at \"a\" failed: Connection refused\n\tIs it up?\n",
                DatabaseError.Reason.unreachable
            ),
            (.failed, "connection to server on socket \"/a\" failed: No such file or directory", .unreachable),
            (.failed, "invalid integer value \"x\" for connection option \"keepalives\"", .invalidSettings),
            (.tls, "connection to server failed: SSL error: certificate verify failed", .tlsFailed),
            (.tls, "server certificate for \"a\" does not match host name \"b\"", .tlsNameMismatch),
            (.authentication, "server closed the connection unexpectedly\n\tThis probably means", .connectionLost),
            (.authentication, "expected authentication request from server, but received H", .protocolViolation),
            (.authentication, "connection failed: FATAL:  53300: sorry, too many clients", .tooManyConnections),
        ]
    )
    func phases(phase: LibraryConnection.Phase, message: String, reason: DatabaseError.Reason) {
        let error = LibraryMessage.error(message, phase: phase, needsPassword: false)
        #expect(error.reason == reason)
        #expect(!error.message.contains("\n") && !error.message.isEmpty)
        #expect(LibraryMessage.error("x", phase: phase, needsPassword: true).reason == .authenticationFailed)
    }

    @Test("An open connection that libpq gives up is lost or violates the protocol")
    func open() {
        let lost = LibraryMessage.error(ofOpen: "server closed the connection unexpectedly\n\tThis probably means")
        #expect(lost.reason == .connectionLost)
        #expect(
            LibraryMessage.error(ofOpen: "lost synchronization with server: got message type").reason
                == .protocolViolation
        )
    }

    @Test("The error of several attempts is the one that says most, and names the others")
    func summary() {
        let errors = [
            DatabaseError(.unreachable, "a: refused"), DatabaseError(.wrongSession, "b: standby"),
            DatabaseError(.connectTimeout, "c: silent"), DatabaseError(.unreachable, "a: refused"),
        ]
        let summary = Connector.summary(of: errors)
        #expect(summary.reason == .wrongSession)
        #expect(summary.message == "b: standby; a: refused; c: silent")
        #expect(Connector.summary(of: []).reason == .unreachable)
    }

    @Test("The loaded libpq is supported")
    func library() {
        #expect(SystemLibrary.libpq.fault == nil)
    }
}
