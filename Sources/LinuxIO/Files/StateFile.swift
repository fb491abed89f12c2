// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// A file with atomic writes: it holds either the previous or the new contents.
///
/// A new file is written next to it, synced to the disk, and renamed over it. Only its owner may read it: declarations
/// can hold headers and bodies that are secrets.
package struct StateFile: Sendable {
    /// The steps of a write, in order; tests make one of them fail, or the process end there.
    package enum Step: Sendable, CaseIterable {
        case create, write, synchronize, rename, synchronizeFolder
    }

    /// The path from the root.
    package let path: String
    /// Called before each step; its error is the step's.
    package var before: @Sendable (Step) throws(SystemError) -> Void = { _ throws(SystemError) in }

    /// A file that may not exist.
    ///
    /// - Parameter path: its path from the root.
    package init(_ path: String) {
        self.path = path
    }

    /// Its directory.
    package var folder: String {
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return folder.isEmpty ? "/" : String(folder)
    }

    /// Why it could not be written, as far as that is known in advance; nil if no reason is known.
    package var obstacle: SystemError? {
        do throws(SystemError) {
            _ = try systemCall("access(\(folder))") { unsafe access(folder, W_OK | X_OK) }
            return nil
        } catch {
            return error
        }
    }

    /// Its contents; nil if it does not exist.
    ///
    /// - Parameter maximum: the first number of bytes that is too large.
    /// - Throws: ``SystemError``; `EFBIG` for a file that is too large.
    package func read(below maximum: Int = 1 << 30) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            var facts = stat()
            let isLarge = unsafe stat(path, &facts) == 0 && facts.st_size >= maximum
            let bytes = isLarge ? [] : try FileContents.read(path, limit: maximum)
            guard !isLarge, bytes.count < maximum else { throw SystemError(code: EFBIG, operation: "read(\(path))") }
            return bytes
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Replaces its contents.
    ///
    /// - Throws: on failure; the previous contents remain.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        let new = path + ".new"
        do throws(SystemError) {
            try create(new, bytes)
            try before(.rename)
            _ = try systemCall("rename(\(path))") { unsafe rename(new, path) }
        } catch {
            unsafe unlink(new)
            throw error
        }
        // The change is made; what remains is that it survives a loss of power.
        do throws(SystemError) {
            try before(.synchronizeFolder)
            let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
            let number = try systemCall("open(\(folder))") { unsafe open(folder, flags) }
            let descriptor = OwnedDescriptor(owning: number)
            _ = try systemCall("fsync(\(folder))") { fsync(descriptor.number) }
        } catch {
            // Some file systems do not support this call for directories, and are durable without it.
        }
    }

    private func create(_ new: String, _ bytes: [UInt8]) throws(SystemError) {
        try before(.create)
        // No other process uses what a killed one left.
        unsafe unlink(new)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = try systemCall("open(\(new))") { unsafe open(new, flags, 0o600) }
        let descriptor = OwnedDescriptor(owning: number)
        try before(.write)
        var start = 0
        while start < bytes.count {
            let count = try systemCall("write(\(new))") {
                unsafe bytes[start...].withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            }
            start += count
        }
        try before(.synchronize)
        _ = try systemCall("fsync(\(new))") { fsync(descriptor.number) }
    }

    /// Keeps its current contents under another name too, so that the next ``write(_:)`` does not delete them.
    ///
    /// - Parameters:
    ///   - ending: the suffix of the other name.
    ///   - isMoved: whether the file then has only the other name.
    /// - Returns: The other name.
    package func setAside(as ending: String = "corrupt", isMoved: Bool) throws(SystemError) -> String {
        for number in 1...100 {
            let aside = path + ".\(ending)" + (number == 1 ? "" : "-\(number)")
            do throws(SystemError) {
                if !isSame(path, aside) {
                    _ = try systemCall("link(\(aside))") { unsafe link(path, aside) }
                }
                if isMoved { unsafe unlink(path) }
                return aside
            } catch {
                guard error.code == EEXIST else { throw error }
            }
        }
        throw SystemError(code: EEXIST, operation: "link(\(path).\(ending))")
    }

    private func isSame(_ path: String, _ other: String) -> Bool {
        FileIdentity(path: path).map { $0 == FileIdentity(path: other) } ?? false
    }
}
