// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Glibc
import LinuxIO
import Schema

/// The files that a configuration names, relative to its own directory.
struct ForeignFiles {
    /// The directory of the configuration; nil for a text, which has no files.
    let folder: String?
    /// How many bytes are still read.
    private var bytes = 4 * ConfigurationLoader.maximumSize
    private var files = 1_000

    init(folder: String?) { self.folder = folder }

    /// Where the directory of a file is.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The files of a pattern with wildcards in its last part, as Prometheus allows. An absolute path that does not exist
    /// is also looked for under the directory of the configuration, without its first parts: on the machine or in the
    /// container that it was written for, that directory has another name.
    func matches(_ pattern: String) -> [String] { find(pattern).paths }

    /// The files of a pattern, and the pattern that found them.
    func find(_ pattern: String) -> (pattern: String, paths: [String]) {
        for candidate in candidates(pattern) {
            let paths = FilePattern.matches(candidate)
            if !paths.isEmpty { return (candidate, paths) }
        }
        return (pattern, [])
    }

    private func candidates(_ pattern: String) -> [String] {
        guard let folder, !pattern.isEmpty, pattern.utf8.count <= 4_096 else { return [] }
        let parts = pattern.split(separator: "/")
        guard parts.count <= 32,
            parts.dropLast().allSatisfy({ !$0.contains("*") && !$0.contains("[") && !$0.contains("?") })
        else { return [] }
        guard pattern.hasPrefix("/") else { return ["\(folder)/\(pattern)"] }
        // A wildcard needs its directory: there are other files beside the configuration.
        let isExact = !(parts.last ?? "").contains { "*?[".contains($0) }
        let least = isExact ? 1 : 2
        guard parts.count >= least else { return [pattern] }
        return [pattern] + (0...(parts.count - least)).map { "\(folder)/\(parts.dropFirst($0).joined(separator: "/"))" }
    }

    /// The path from the root.
    func absolute(_ path: String) -> String {
        guard let real = unsafe realpath(Self.folder(of: path), nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real) + "/" + (path.split(separator: "/").last ?? "")
    }

    /// Reads a file.
    ///
    /// - Throws: One fault, when it cannot be read or is too large.
    mutating func read(_ path: String) throws(ConfigurationDiagnostics) -> [UInt8] {
        let limit = min(bytes, ConfigurationLoader.maximumSize)
        files -= 1
        guard files >= 0 else { throw BoundedFile.tooLarge(path, 0) }
        let contents: [UInt8]
        do throws(SystemError) {
            contents = try FileContents.read(path, limit: limit + 1)
        } catch {
            throw ConfigurationDiagnostics([.init(.unreadable, at: .file(path, nil), "cannot be read: \(error)")])
        }
        guard contents.count <= limit else { throw BoundedFile.tooLarge(path, limit) }
        bytes -= contents.count
        return contents
    }
}
