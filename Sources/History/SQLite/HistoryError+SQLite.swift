// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CSQLite
import Glibc

extension HistoryError {
    /// The last failure of a connection.
    ///
    /// - Parameters:
    ///   - result: an extended result code.
    ///   - connection: whose words and `errno` are wanted; nil when there is none.
    ///   - operation: what was tried.
    init(result: Int32, connection: OpaquePointer?, operation: String) {
        let system = unsafe connection.map { unsafe sqlite3_system_errno($0) } ?? 0
        var words = unsafe String(cString: sqlite3_errstr(result))
        if let connection = unsafe connection, unsafe sqlite3_errcode(connection) != SQLITE_OK {
            words = unsafe String(cString: sqlite3_errmsg(connection))
        }
        if system != 0 { words += " (errno \(system))" }
        self.init(Self.code(result: result, system: system), "\(operation): \(words)")
    }

    static func code(result: Int32, system: Int32) -> Code {
        switch result & 0xff {
        case SQLITE_FULL: return .full
        case SQLITE_READONLY: return result == Self.movedResult ? .removed : .readOnly
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED: return .locked
        case SQLITE_NOMEM: return .noMemory
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM:
            switch system {
            case ENOSPC, EDQUOT: return .full
            case EROFS: return .readOnly
            default: return result & 0xff == SQLITE_IOERR ? .inputOutput : .cannotOpen
            }
        default: return .other
        }
    }

    /// `SQLITE_READONLY_DBMOVED`, a macro that Swift does not read.
    private static let movedResult = SQLITE_READONLY | (4 << 8)
}
