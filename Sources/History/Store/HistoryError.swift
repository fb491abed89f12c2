// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CSQLite
import Glibc

/// Why the durable log could not do what it was asked to.
package struct HistoryError: Error, Sendable, Hashable {
    /// The kinds of failure; raw values are what `/status` and the log lines say.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The file system, or the user's share of it, has no room (`ENOSPC`, `EDQUOT`, `SQLITE_FULL`).
        case full
        /// The file or its file system cannot be written (`EROFS`, `SQLITE_READONLY`).
        case readOnly = "read_only"
        /// The file is not what it should be (`SQLITE_CORRUPT`, `SQLITE_NOTADB`).
        case corrupt
        /// Another process, or another connection for too long, has it.
        case locked
        /// The device reported an error (`SQLITE_IOERR`).
        case inputOutput = "io"
        /// The file is not there any more, or another is in its place.
        case removed
        /// It cannot be opened or made: no such folder, or not ours.
        case cannotOpen = "cannot_open"
        /// A later version of reachd wrote it.
        case tooNew = "too_new"
        /// It is another program's.
        case foreign
        /// The disk takes too long.
        case slow
        /// More events wait than may.
        case overrun
        /// Out of memory.
        case noMemory = "no_memory"
        /// Anything else: a mistake of ours, most likely.
        case other

        /// One sentence for people, without names of files.
        package var summary: String {
            switch self {
            case .full: "The disk is full."
            case .readOnly: "The disk is read-only."
            case .corrupt: "The file is damaged."
            case .locked: "Another process uses the file."
            case .inputOutput: "The disk reports errors."
            case .removed: "The file was removed or replaced."
            case .cannotOpen: "The file cannot be opened or created."
            case .tooNew: "A later version of reachd wrote the file."
            case .foreign: "The file belongs to another program."
            case .slow: "The disk takes too long."
            case .overrun: "Events arrived faster than they could be written."
            case .noMemory: "The process is out of memory."
            case .other: "The storage failed for an unknown reason."
            }
        }
    }

    /// The kind.
    package let code: Code
    /// What was tried, and the error message.
    package let message: String

    /// Creates an error from its parts.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension HistoryError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}

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
