// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// SQLSTATE codes (PostgreSQL's documentation, appendix A) to reasons. The texts of the server depend on its `lc_messages` and are
/// never interpreted.
enum SQLState {
    /// The reason of a code: the most specific entry of the tables, else `server_error`.
    static func reason(of code: String) -> DatabaseError.Reason {
        codes[code] ?? classes[String(code.prefix(2))] ?? .serverError
    }

    /// The code in libpq's message about a connection that failed during its start, in the verbose form
    /// `… failed: FATAL:  28P01: …`; nil when the server sent none.
    static func find(in message: String) -> String? {
        let bytes = Array(message.utf8)
        // Two spaces after the severity, whatever its language, then five letters or digits and a colon.
        guard bytes.count >= 9 else { return nil }
        for start in 0...(bytes.count - 9)
        where bytes[start] == 0x3A && bytes[start + 1] == 0x20 && bytes[start + 2] == 0x20 {
            let code = bytes[(start + 3)..<(start + 8)]
            let isCode = code.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
            if isCode, bytes[start + 8] == 0x3A { return String(decoding: code, as: UTF8.self) }
        }
        return nil
    }

    private static let codes: [String: DatabaseError.Reason] = [
        "25006": .readOnly,
        "25P03": .shuttingDown,
        "3D000": .noSuchDatabase,
        "3F000": .missingObject,
        "42501": .permissionDenied,
        "42703": .missingObject,
        "42704": .missingObject,
        "42883": .missingObject,
        "42P01": .missingObject,
        "53100": .diskFull,
        "53300": .tooManyConnections,
        "55P03": .lockTimeout,
        "57014": .statementTimeout,
        "57P01": .shuttingDown,
        "57P02": .shuttingDown,
        "57P03": .shuttingDown,
        "57P04": .shuttingDown,
        "57P05": .shuttingDown,
    ]

    private static let classes: [String: DatabaseError.Reason] = [
        "08": .protocolViolation,
        "22": .invalidInput,
        "23": .constraint,
        "28": .authenticationFailed,
        "40": .serialization,
        "42": .invalidStatement,
        "53": .outOfResources,
        "54": .outOfResources,
    ]
}
