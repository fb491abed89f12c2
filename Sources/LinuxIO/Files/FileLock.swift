// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// Reserves a file for one process as long as this object lives: `flock(2)` on a lock file beside it.
///
/// The lock is not on the file itself, because SQLite takes locks of its own there and a replaced file (`rename(2)`) would lose it.
/// The kernel releases it when the process ends, however it ends.
package final class FileLock: Sendable {
    private let descriptor: OwnedDescriptor
    private let name: String

    /// Whether other processes still find this lock. Once its lock file is removed another process can take one of its own.
    package var isInPlace: Bool {
        FileIdentity(descriptor).map { $0 == FileIdentity(path: name, followsLink: false) } ?? false
    }

    /// Takes the lock without waiting.
    ///
    /// - Parameter path: the file to reserve; the lock file is `PATH.lock`.
    /// - Throws: ``FileLockError/held(path:process:)`` when another process has it.
    package init(of path: String) throws(FileLockError) {
        let name = path + ".lock"
        self.name = name
        do throws(SystemError) {
            let number = try systemCall("open(\(name))") {
                unsafe open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            }
            descriptor = OwnedDescriptor(owning: number)
        } catch {
            throw .system(error)
        }
        do throws(SystemError) {
            _ = try systemCall("flock(\(name))") { flock(descriptor.number, LOCK_EX | LOCK_NB) }
        } catch {
            guard error.code == EWOULDBLOCK else { throw .system(error) }
            throw .held(path: path, process: Self.holder(in: descriptor))
        }
        let text = Array("\(getpid())\n".utf8)
        // Only for people: a failure to write it does not matter, least of all on a full disk.
        _ = ftruncate(descriptor.number, 0)
        _ = unsafe text.withUnsafeBytes { unsafe pwrite(descriptor.number, $0.baseAddress, $0.count, 0) }
    }

    deinit {
        // Closing would do unless a child process, between fork and exec, had a copy of the descriptor.
        _ = flock(descriptor.number, LOCK_UN)
    }

    private static func holder(in descriptor: OwnedDescriptor) -> String? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = unsafe text.withUnsafeMutableBytes { unsafe pread(descriptor.number, $0.baseAddress, $0.count, 0) }
        let digits = text.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
        return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
    }
}

/// Why a ``FileLock`` was not taken.
package enum FileLockError: Error, Sendable, CustomStringConvertible {
    /// Another process has the file; its process id if the lock file has it.
    case held(path: String, process: String?)
    /// The system refused the lock file.
    case system(SystemError)

    /// What is wrong, for people.
    package var description: String {
        switch self {
        case .held(let path, let process):
            "\(path) is in use by another process" + (process.map { " (PID \($0))" } ?? "")
        case .system(let error): "\(error)"
        }
    }
}
