// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// A path with wildcards in its last part.
enum FilePattern {
    /// Files taken of one pattern at most.
    static let maximum = 10_000

    /// The files that it stands for now, sorted; hidden ones only when the pattern begins with a dot (`glob(7)`).
    static func matches(_ pattern: String) -> [String] {
        var found = unsafe glob_t()
        defer { unsafe globfree(&found) }
        guard unsafe glob(pattern, 0, nil, &found) == 0 else { return [] }
        return unsafe (0..<min(Int(found.gl_pathc), maximum)).compactMap { index in
            guard let path = unsafe found.gl_pathv[index] else { return nil }
            return unsafe String(cString: path)
        }
    }

    /// The folder that a path is in, with what links lead to.
    static func folder(of path: String) -> String {
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return folder.isEmpty ? "/" : String(folder)
    }

    /// The path without links; nil when there is no such file.
    static func real(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
