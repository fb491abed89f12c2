// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// Says that one process has a file, as long as this object lives: `flock(2)` on a file beside it, which ends with the process.
///
/// Not on the file itself, where SQLite's own locks come and go.
final class FileLock: Sendable {
    private let descriptor: OwnedDescriptor
    private let name: String

    /// Whether others find this lock: who removes the file beside it as well lets them have another one.
    var isInPlace: Bool {
        FileIdentity(descriptor).map { $0 == FileIdentity(path: name, followsLink: false) } ?? false
    }

    /// - Parameter path: the file that is to be had.
    /// - Throws: ``HistoryError/Code/locked`` when another process has it, with its number.
    init(of path: String) throws(HistoryError) {
        let name = path + ".lock"
        self.name = name
        do throws(SystemError) {
            let number = try systemCall("open(\(name))") {
                unsafe open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            }
            descriptor = OwnedDescriptor(owning: number)
        } catch {
            throw HistoryError(error)
        }
        do throws(SystemError) {
            _ = try systemCall("flock(\(name))") { flock(descriptor.number, LOCK_EX | LOCK_NB) }
        } catch {
            guard error.code == EWOULDBLOCK else { throw HistoryError(error) }
            throw HistoryError(.locked, "\(path) is another process's\(Self.holder(in: descriptor))")
        }
        let text = Array("\(getpid())\n".utf8)
        // Only for people: what cannot be written is no obstacle, on a full disk least of all.
        _ = ftruncate(descriptor.number, 0)
        _ = unsafe text.withUnsafeBytes { unsafe pwrite(descriptor.number, $0.baseAddress, $0.count, 0) }
    }

    deinit {
        // Closing would do unless a child process, between fork and exec, had a copy of the descriptor.
        _ = flock(descriptor.number, LOCK_UN)
    }

    private static func holder(in descriptor: OwnedDescriptor) -> String {
        var text = [UInt8](repeating: 0, count: 16)
        let count = unsafe text.withUnsafeMutableBytes { unsafe pread(descriptor.number, $0.baseAddress, $0.count, 0) }
        let digits = text.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
        return digits.isEmpty ? "" : ", number \(String(decoding: digits, as: UTF8.self))"
    }
}

extension HistoryError {
    /// What the system refused, as a failure of the log.
    init(_ error: SystemError) {
        let code: Code =
            switch error.code {
            case ENOSPC, EDQUOT: .full
            case EROFS: .readOnly
            case EIO: .inputOutput
            case ENOMEM: .noMemory
            default: .cannotOpen
            }
        self.init(code, "\(error)")
    }
}
