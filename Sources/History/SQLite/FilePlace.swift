// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// Tells whether a file is still the one that was opened: one that was removed goes on to take what is written to it, and loses it.
struct FilePlace: Sendable {
    private struct Mark: Sendable, Hashable {
        let device: UInt64
        let number: UInt64

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            number = UInt64(status.st_ino)
        }
    }

    private let path: String
    private let marks: [(path: String, mark: Mark)]

    /// Remembers a file, and its write-ahead log if there is one.
    init(_ path: String) {
        self.path = path
        marks = [path, "\(path)-wal"].compactMap { path in Mark(path).map { (path, $0) } }
    }

    /// - Throws: ``HistoryError/Code/removed``.
    func check() throws(HistoryError) {
        for (path, mark) in marks where Mark(path) != mark {
            throw HistoryError(.removed, "\(path) was removed or replaced while it was in use")
        }
    }
}
