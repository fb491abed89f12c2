// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// Tells whether a file is still the one that was opened: one that was removed goes on to take what is written to it, and loses it.
package struct FilePlace: Sendable {
    private let files: [(path: String, identity: FileIdentity)]

    /// Remembers a file, and its write-ahead log if there is one.
    package init(_ path: String) {
        files = [path, "\(path)-wal"].compactMap { path in FileIdentity(path: path).map { (path, $0) } }
    }

    /// - Throws: ``HistoryError/Code/removed``.
    package func check() throws(HistoryError) {
        for (path, identity) in files where FileIdentity(path: path) != identity {
            throw HistoryError(.removed, "\(path) was removed or replaced while it was in use")
        }
    }
}
