// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// The file that contains the password. Errors name the path and never the content.
enum PasswordFile {
    /// The size limit of a password, in bytes; libpq's message with it is limited as well.
    static let limit = 1_000

    /// Reads the password, without one line end at its end.
    ///
    /// - Throws: `password_file`.
    static func read(_ path: String) throws(DatabaseError) -> String {
        let bytes: [UInt8]
        do {
            bytes = try FileContents.read(path, limit: limit + 3)
        } catch {
            throw DatabaseError(.passwordFile, "the password file cannot be read: \(error)")
        }
        var password = bytes[...]
        if password.last == 0x0A { password = password.dropLast() }
        if password.last == 0x0D { password = password.dropLast() }
        guard password.count <= limit else {
            throw DatabaseError(.passwordFile, "the password file \(path) is larger than \(limit) bytes")
        }
        guard !password.isEmpty else { throw DatabaseError(.passwordFile, "the password file \(path) is empty") }
        guard let text = String(validating: password, as: UTF8.self), !password.contains(0) else {
            throw DatabaseError(.passwordFile, "the password file \(path) contains a zero byte or is not UTF-8")
        }
        return text
    }
}
