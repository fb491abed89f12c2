// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Monitoring
package import NetworkPaths
package import Schema

/// The discovery files and the last contents of each. A value; the caller keeps it between scans.
package struct DiscoveryFiles: Sendable {
    private struct Known: Sendable {
        var bytes: [UInt8]?
        var found = DiscoveredTargets()
        var diagnostic: ConfigurationDiagnostics?
    }

    /// The paths of the files and the probe of their targets.
    package let settings: DiscoverySettings
    private let nameEvaluation: PathRequest.NameEvaluation
    private var known: [String: Known] = [:]
    private var emptyPatterns: Set<String> = []
    private var overlaps: [String] = []

    /// Creates a value without scanning.
    ///
    /// - Parameter nameEvaluation: how names are evaluated before their first answers.
    package init(_ settings: DiscoverySettings, nameEvaluation: PathRequest.NameEvaluation) {
        self.settings = settings
        self.nameEvaluation = nameEvaluation
    }

    /// The same files under other settings, with their known contents: a file that is faulty now keeps its targets.
    package func applying(_ settings: DiscoverySettings, nameEvaluation: PathRequest.NameEvaluation) -> DiscoveryFiles {
        var files = DiscoveryFiles(settings, nameEvaluation: nameEvaluation)
        files.known = known
        for path in known.keys { files.known[path]?.bytes = nil }
        files.emptyPatterns = emptyPatterns
        return files
    }

    /// A fault of one of the files; nil if all are valid.
    package var firstFault: ConfigurationDiagnostic? {
        known.keys.sorted().lazy.compactMap { known[$0]?.diagnostic?.diagnostics.first }.first
    }

    /// The directories in which something must change before ``scan(room:)`` finds anything new.
    package var folders: Set<String> {
        var folders = Set(settings.files.map(FilePattern.folder))
        for path in known.keys {
            if let real = FilePattern.real(path) { folders.insert(FilePattern.folder(of: real)) }
        }
        return folders
    }

    /// Reads changed files again.
    ///
    /// - Parameter room: the maximum number of targets.
    package mutating func scan(room: Int = .max) -> DiscoveryReport {
        var report = DiscoveryReport()
        var paths: [String] = []
        for pattern in settings.files {
            let matches = FilePattern.matches(pattern)
            if !matches.isEmpty {
                emptyPatterns.remove(pattern)
            } else if emptyPatterns.insert(pattern).inserted {
                report.notes.append(LogMessage(.warning, "no discovery file matches \(pattern) yet"))
            }
            paths += matches.filter { !paths.contains($0) }
        }
        for path in known.keys.sorted() where !paths.contains(path) {
            report.notes.append(LogMessage(.info, "the discovery file \(path) was removed, and its targets with it"))
            known[path] = nil
        }
        var left = room
        for path in paths {
            read(path, room: left, &report)
            left -= known[path]?.found.targets.count ?? 0
        }
        gather(paths, &report)
        return report
    }

    private mutating func read(_ path: String, room: Int, _ report: inout DiscoveryReport) {
        let isNew = known[path] == nil
        var entry = known[path] ?? Known()
        do throws(ConfigurationDiagnostics) {
            let bytes = try Self.contents(path)
            // Refused targets may fit now.
            guard bytes != entry.bytes || entry.diagnostic != nil else { return }
            entry.bytes = bytes
            let groups = try DiscoveryFileReader.read(bytes, path: path)
            let found = try DiscoveryTargetAssembler.targets(
                of: groups,
                path: path,
                probe: settings.probe,
                nameEvaluation: nameEvaluation
            )
            guard found.targets.count <= room else {
                let words =
                    "has \(found.targets.count) targets; limits.targets leaves room for \(max(0, room))"
                throw ConfigurationDiagnostics([.init(.outOfRange, at: .file(path, nil), words)])
            }
            for note in found.notes where isNew || !entry.found.notes.contains(note) {
                report.notes.append(LogMessage(.info, "\(path): \(note)"))
            }
            if entry.diagnostic != nil {
                report.notes.append(LogMessage(.info, "the discovery file \(path) is valid again"))
            }
            entry.diagnostic = nil
            entry.found = found
        } catch {
            if entry.diagnostic != error { report.diagnostics.append(error) }
            entry.diagnostic = error
        }
        known[path] = entry
    }

    private static func contents(_ path: String) throws(ConfigurationDiagnostics) -> [UInt8] {
        let maximum = ConfigurationLoader.maximumSize
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(path, limit: maximum + 1)
        } catch {
            throw ConfigurationDiagnostics([.init(.unreadable, at: .file(path, nil), "cannot be read: \(error)")])
        }
        guard bytes.count <= maximum else { throw BoundedFile.tooLarge(path, maximum) }
        return bytes
    }

    /// If several files name one address, the first counts.
    private mutating func gather(_ paths: [String], _ report: inout DiscoveryReport) {
        var owners: [String: String] = [:]
        var overlaps: [String] = []
        for path in paths {
            for target in known[path]?.found.targets ?? [] {
                guard let owner = owners[target.id] else {
                    owners[target.id] = path
                    report.targets.append(target)
                    continue
                }
                overlaps.append("\(target.id) is in \(owner) and in \(path); only the first counts")
            }
        }
        let new = overlaps.filter { !self.overlaps.contains($0) }
        report.notes += new.prefix(20).map { LogMessage(.warning, "the target \($0)") }
        self.overlaps = Array(overlaps.prefix(1_000))
    }
}

/// A path with wildcards in its last part.
package enum FilePattern {
    /// The maximum number of files of one pattern.
    static let maximum = 10_000

    /// The matching files, sorted; hidden ones only when the pattern begins with a dot (`glob(7)`).
    package static func matches(_ pattern: String) -> [String] {
        var found = unsafe glob_t()
        defer { unsafe globfree(&found) }
        guard unsafe glob(pattern, 0, nil, &found) == 0 else { return [] }
        return unsafe (0..<min(Int(found.gl_pathc), maximum)).compactMap { index in
            guard let path = unsafe found.gl_pathv[index] else { return nil }
            return unsafe String(cString: path)
        }
    }

    /// Whether a path has a wildcard.
    static func hasWildcard(_ path: some StringProtocol) -> Bool { path.contains { "*?[".contains($0) } }

    /// The directory of a path, with links resolved.
    static func folder(of path: String) -> String {
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return folder.isEmpty ? "/" : String(folder)
    }

    /// The path without links; nil if the file does not exist.
    package static func real(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
