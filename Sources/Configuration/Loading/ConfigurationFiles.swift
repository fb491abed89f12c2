// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Schema

/// The files of a configuration: the main one, and those that its key `include` names.
package struct ConfigurationFiles: Sendable, Hashable {
    /// The maximum number of included files.
    static let maximum = 1_000

    /// The main file.
    package let main: String
    /// The paths that the key names, with the wildcards `*`, `?` and `[…]` in the last part; relative ones are seen from the
    /// main file's folder.
    package let patterns: [String]

    /// Creates a value without looking for files.
    ///
    /// - Parameters:
    ///   - main: The path of the main file.
    ///   - include: The values of the key `include`.
    init(main: String, include: [String]) {
        self.main = main
        let folder = main.lastIndex(of: "/").map { String(main[...$0]) } ?? ""
        patterns = include.map { $0.hasPrefix("/") ? $0 : folder + $0 }
    }

    /// The included files as they are now: in the order of the patterns, those of one pattern sorted, each once. A path without a
    /// wildcard is one of them even if there is no such file. Blocks on the disk.
    package func included() -> [String] {
        var paths: [String] = []
        var known: Set<String> = [FilePattern.real(main) ?? main]
        for pattern in patterns {
            for path in FilePattern.hasWildcard(pattern) ? FilePattern.matches(pattern) : [pattern]
            where known.insert(FilePattern.real(path) ?? path).inserted {
                paths.append(path)
            }
        }
        return paths
    }

    /// What must change before another reading finds another configuration: files, and the folders of patterns; from the root.
    /// Empty if the main file is a pipe or the like, which cannot be read again. Blocks on the disk.
    package func watched() -> Set<String> {
        guard !main.isEmpty, !isPipe else { return [] }
        let folders = patterns.filter(FilePattern.hasWildcard).map { pattern in
            pattern.lastIndex(of: "/").map { $0 == pattern.startIndex ? "/" : String(pattern[..<$0]) } ?? "."
        }
        return Set(([main] + included() + folders).map(Self.absolute))
    }

    /// The contents of all files as they are now. Blocks on the disk.
    package func fingerprint() -> ConfigurationFingerprint {
        var fingerprint = ConfigurationFingerprint()
        for path in [main] + included() {
            fingerprint.add(try? FileContents.read(path, limit: ConfigurationLoader.maximumSize + 1), of: path)
        }
        return fingerprint
    }

    private var isPipe: Bool {
        var status = stat()
        return unsafe stat(main, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let here = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(here) }
        return unsafe String(cString: here) + "/" + path
    }
}

/// A number for the paths and contents of files, which differs when one of them does. Valid in one process.
package struct ConfigurationFingerprint: Sendable, Hashable {
    private var hasher = Hasher()
    private var number = 0

    /// Adds a file.
    ///
    /// - Parameter bytes: The content; nil if it cannot be read.
    mutating func add(_ bytes: [UInt8]?, of path: String) {
        hasher.combine(path)
        hasher.combine(bytes)
        number = hasher.finalize()
    }

    package static func == (left: Self, right: Self) -> Bool { left.number == right.number }

    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension YAMLNode {
    /// This mapping with the keys of another file's: lists are joined, and mappings are merged key by key. A key that both have
    /// with other values occurs twice then, which is a fault of the schema.
    func including(_ other: YAMLNode) -> YAMLNode {
        guard case .mapping(var pairs) = content, case .mapping(let others) = other.content else { return self }
        for pair in others {
            guard let name = pair.key.text, let index = pairs.firstIndex(where: { $0.key.text == name }) else {
                pairs.append(pair)
                continue
            }
            let own = pairs[index].value
            switch (own.content, pair.value.content) {
            case (.mapping, .mapping): pairs[index] = Pair(key: pairs[index].key, value: own.including(pair.value))
            case (.sequence(let first), .sequence(let second)):
                let list = YAMLNode(.sequence(first + second), position: own.position, tag: own.tag, file: own.file)
                pairs[index] = Pair(key: pairs[index].key, value: list)
            default:
                if own.isNull { pairs[index] = pair } else if !pair.value.isNull { pairs.append(pair) }
            }
        }
        return YAMLNode(.mapping(pairs), position: position, tag: tag, file: file)
    }
}
