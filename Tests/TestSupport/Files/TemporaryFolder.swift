// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
package import LinuxIO

/// A folder of a test's own, removed with all that is in it when this object goes.
package final class TemporaryFolder: Sendable {
    /// The folder's absolute path.
    package let path: String

    /// Makes an empty folder.
    package init() throws(SystemError) {
        var template = Array("/tmp/reachd-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemError(code: errno, operation: "mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        // A folder that could not be removed is the system's to clean: it is in /tmp.
        _ = try? Command.run(["rm", "-rf", path])
    }

    /// The path of a file inside.
    package func path(of file: String) -> String { "\(path)/\(file)" }

    /// Writes a file in place, making the folders above it.
    ///
    /// - Returns: Its path.
    @discardableResult
    package func write(_ text: String, to file: String) throws(SystemError) -> String {
        let target = path(of: file)
        var folder = path
        for part in file.split(separator: "/").dropLast() {
            folder += "/\(part)"
            if unsafe mkdir(folder, 0o755) == -1, errno != EEXIST { throw SystemError(code: errno, operation: "mkdir") }
        }
        let descriptor = try systemCall("open \(target)") {
            unsafe open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        }
        let owner = OwnedDescriptor(owning: descriptor)
        try writeAll(Array(text.utf8), to: owner)
        return target
    }

    /// Writes a file beside the old one and renames it over it, as resolvconf and editors do.
    package func replace(_ text: String, at file: String) throws(SystemError) {
        let fresh = try write(text, to: "\(file).new")
        let target = path(of: file)
        try systemCall("rename") { unsafe rename(fresh, target) }
    }
}

/// Writes all bytes to a descriptor.
func writeAll(_ bytes: [UInt8], to descriptor: OwnedDescriptor) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = try systemCall("write") {
            unsafe rest.withUnsafeBytes { unsafe write(descriptor.number, $0.baseAddress, $0.count) }
        }
        rest = rest.dropFirst(count)
    }
}
