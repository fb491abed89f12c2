// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// Which network namespace the calling thread is in.
enum NetworkNamespaceIdentity {
    /// Names that are looked at, at most.
    private static let limit = 4_096
    private static let folder = "/run/netns"

    /// The inode of `/proc/thread-self/ns/net`; 0 when it cannot be read.
    static var inode: UInt64 { file("/proc/thread-self/ns/net").map { UInt64($0.st_ino) } ?? 0 }

    /// The name that `ip netns` gave it; nil when there is none.
    static var name: String? {
        guard let own = file("/proc/thread-self/ns/net"), let names = unsafe opendir(folder) else { return nil }
        defer { unsafe closedir(names) }
        for _ in 0..<limit {
            guard let entry = unsafe readdir(names) else { return nil }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let other = file("\(folder)/\(name)"), other.st_ino == own.st_ino, other.st_dev == own.st_dev else {
                continue
            }
            return name
        }
        return nil
    }

    private static func file(_ path: String) -> stat? {
        var information = stat()
        return unsafe stat(path, &information) == 0 ? information : nil
    }
}
