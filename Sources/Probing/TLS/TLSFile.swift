// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// The files of the TLS settings.
enum TLSFile {
    /// More than any collection of authorities has; Debian's has 220 KB.
    private static let limit = 1 << 20

    /// The contents of a file.
    static func read(_ path: String) throws(ProbeFault) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(path, limit: limit + 1)
        } catch {
            throw fault(error.description)
        }
        guard bytes.count <= limit else { throw fault("\(path) is longer than 1 MiB") }
        return bytes
    }

    static func fault(_ detail: String) -> ProbeFault {
        ProbeFault(reason: .tlsFilesUnreadable, detail: detail)
    }
}
