// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// libpq's messages about connections. They are English as long as the process sets no locale, which reachd does not. Only faults
/// without a code are told apart by their text; an unknown text yields the general reason.
enum LibraryMessage {
    /// The first line; further lines are hints and source locations.
    static func firstLine(_ message: String) -> String {
        String(message.split(whereSeparator: \.isNewline).first ?? "libpq reports no reason")
    }

    /// Why an open connection cannot be used any more: the peer violated the protocol, or the stream ended.
    static func error(ofOpen message: String) -> DatabaseError {
        let signs = ["closed the connection", "could not receive data", "could not send data", "no connection", "SSL "]
        let isLost = signs.contains { message.firstRange(of: $0) != nil }
        return DatabaseError(isLost ? .connectionLost : .protocolViolation, firstLine(message))
    }

    /// Why a connection failed to open.
    ///
    /// - Parameters:
    ///   - message: libpq's message in its verbose form.
    ///   - phase: How far the connection had come.
    ///   - needsPassword: Whether the server asked for a password and none was given.
    static func error(
        _ message: String,
        phase: LibraryConnection.Phase,
        needsPassword: Bool
    ) -> DatabaseError {
        let line = firstLine(message)
        if let code = SQLState.find(in: line) {
            let text = line.firstRange(of: ":  \(code): ").map { String(line[$0.upperBound...]) }
            return DatabaseError(sqlState: code, message: text ?? line)
        }
        let text = line.firstRange(of: " failed: ").map { String(line[$0.upperBound...]) } ?? line
        if needsPassword {
            return DatabaseError(.authenticationFailed, "the server requires a password; set password_file")
        }
        switch phase {
        case .tls:
            let isMismatch = message.firstRange(of: "does not match host name") != nil
            return DatabaseError(isMismatch ? .tlsNameMismatch : .tlsFailed, text)
        case .connecting: return DatabaseError(.unreachable, text)
        case .failed:
            // Before the first poll: the socket could not be connected, or libpq rejects a parameter.
            return DatabaseError(message.hasPrefix("connection to server") ? .unreachable : .invalidSettings, text)
        case .authentication, .open: return error(ofOpen: text)
        }
    }
}
