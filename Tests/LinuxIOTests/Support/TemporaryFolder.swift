// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import LinuxIO

/// A folder that goes with this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("reachd-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    }

    /// Writes a file in place.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    /// Writes a file beside it and renames it over.
    func replace(_ name: String, with text: String) throws {
        try write(text, to: "\(name).new")
        try systemCall("rename") { unsafe rename(path("\(name).new"), path(name)) }
    }

    /// Makes a symbolic link; over one that is there, by renaming.
    func link(_ name: String, to target: String) throws {
        try systemCall("symlink") { unsafe symlink(target, path("\(name).new")) }
        try systemCall("rename") { unsafe rename(path("\(name).new"), path(name)) }
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }
}
