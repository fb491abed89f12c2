// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Glibc
import History
import LinuxIO
import Schema

/// A database of SQLite's that belongs to another program, for reading.
///
/// The file and what is beside it are not changed. Without a write-ahead log nothing is in the way of reading it in place, without locks;
/// with one, SQLite would make and write a file beside it, so both are copied first. The copy goes with this object.
final class ForeignDatabase {
    let database: SQLiteDatabase
    private let folder: String?

    /// How large a file with a write-ahead log may be, which is copied.
    private static let maximumCopy = 2 << 30
    /// How long a value may be.
    private static let maximumValue: Int32 = 1 << 20

    /// Whether a path is a file that begins as databases do; a pipe is not read.
    static func isDatabase(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let start = try? FileContents.read(path, limit: 16)
        else { return false }
        return isDatabase(start)
    }

    /// Whether bytes begin as databases do.
    static func isDatabase(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "SQLite format 3\0".utf8) }

    /// Opens a file.
    ///
    /// - Throws: ``ConfigurationDiagnostics`` for a file that cannot be read, is damaged, or changes all the time.
    init(_ path: String) throws(ConfigurationDiagnostics) {
        var folder: String?
        do {
            if Self.state(of: path + "-wal").size > 0 {
                let copy = try Self.copy(path)
                folder = copy
                database = try SQLiteDatabase(path: copy + "/copy", mode: .readOnly)
            } else {
                database = try SQLiteDatabase(path: path, mode: .immutable)
            }
            try database.distrust(values: Self.maximumValue)
            self.folder = folder
        } catch {
            Self.remove(folder)
            throw Self.diagnostics(error, path)
        }
    }

    deinit { Self.remove(folder) }

    /// The fault of a file for an error of reading it.
    static func diagnostics(_ error: any Error, _ path: String) -> ConfigurationDiagnostics {
        if let error = error as? ConfigurationDiagnostics { return error }
        var words = "cannot be read: \(error)"
        if let error = error as? HistoryError, error.code == .corrupt {
            words = "is damaged, or no database; recover it with the command .recover of sqlite3"
        }
        return ConfigurationDiagnostics([.init(.unreadable, at: .file(path, nil), words)])
    }

    // MARK: The copy

    /// What shows that a file changed.
    private struct State: Equatable {
        var size = 0
        var seconds = 0
        var nanoseconds = 0
        var inode: UInt64 = 0
    }

    private static func state(of path: String) -> State {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return State() }
        return State(
            size: Int(status.st_size),
            seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec,
            inode: UInt64(status.st_ino)
        )
    }

    /// Copies a file and its write-ahead log into a folder of its own, again if they change meanwhile.
    private static func copy(_ path: String) throws -> String {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var name = Array("\(base.isEmpty ? "/tmp" : base)/reachd-import-XXXXXX".utf8CString)
        let made = unsafe name.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
        }
        guard made else { throw SystemError(code: errno, operation: "mkdtemp(\(base))") }
        let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do {
            for _ in 0..<5 {
                let before = [state(of: path), state(of: path + "-wal")]
                guard before[0].size + before[1].size <= maximumCopy else {
                    let words =
                        "is larger than \(maximumCopy >> 30)GiB and has a -wal file; stop Uptime Kuma, which removes it"
                    throw ConfigurationDiagnostics([.init(.tooLarge, at: .file(path, nil), words)])
                }
                try copy(path, to: folder + "/copy")
                try copy(path + "-wal", to: folder + "/copy-wal")
                if before == [state(of: path), state(of: path + "-wal")] { return folder }
            }
            let words = "changes while it is read; stop Uptime Kuma"
            throw ConfigurationDiagnostics([.init(.unreadable, at: .file(path, nil), words)])
        } catch {
            remove(folder)
            throw error
        }
    }

    private static func copy(_ path: String, to other: String) throws(SystemError) {
        let source = OwnedDescriptor(
            owning: try systemCall("open(\(path))") { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        )
        let target = OwnedDescriptor(
            owning: try systemCall("open(\(other))") {
                unsafe open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
            }
        )
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        var total = 0
        while total <= maximumCopy {
            let count = try systemCall("read(\(path))") { unsafe read(source.number, &piece, piece.count) }
            guard count > 0 else { return }
            total += count
            var written = 0
            while written < count {
                written += try systemCall("write(\(other))") {
                    unsafe piece.withUnsafeBytes { bytes in
                        unsafe write(target.number, bytes.baseAddress.map { unsafe $0 + written }, count - written)
                    }
                }
            }
        }
    }

    private static func remove(_ folder: String?) {
        guard let folder else { return }
        for name in ["copy", "copy-wal", "copy-shm"] { unsafe unlink("\(folder)/\(name)") }
        unsafe rmdir(folder)
    }
}
