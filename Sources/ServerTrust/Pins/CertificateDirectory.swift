// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// Lists the certificates in a directory (S3).
public enum CertificateDirectory {
    private static let fileLimit = 1_000

    /// Returns the sorted paths of a directory's certificate files, by extension. Subdirectories are ignored, as in the
    /// original.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - extensions: The file extensions; the original knows `cer` only.
    /// - Throws: ``TrustError`` when the directory cannot be read, or has more than 1,000 certificates.
    public static func files(
        in path: String,
        extensions: Set<String> = ["cer", "crt", "der", "pem"]
    ) throws(TrustError) -> [String] {
        guard let directory = unsafe opendir(path) else {
            throw TrustError(.unreadable, SystemError(code: errno, operation: "opendir(\(path))").description)
        }
        defer { unsafe closedir(directory) }
        var files: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
                extensions.contains(String(name[name.index(after: dot)...]))
            else { continue }
            let file = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            if !isDirectory(file) { files.append(file) }
            guard files.count <= fileLimit else {
                throw TrustError(.tooLong, "more than \(fileLimit) certificates in \(path)")
            }
        }
        return files.sorted()
    }

    /// The directory of the running program.
    static var ofProgram: String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            guard let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return 0 }
            return unsafe readlink("/proc/self/exe", start, buffer.count)
        }
        let path = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// Returns whether a path is a directory.
    public static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
