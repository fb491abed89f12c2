// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// The files of certificates.
package enum TrustFile {
    /// More than any collection of authorities has; Debian's has 220 KB.
    private static let limit = 1 << 20

    /// The contents of a file.
    package static func read(_ path: String) throws(TrustError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(path, limit: limit + 1)
        } catch {
            throw TrustError(.unreadable, error.description)
        }
        guard bytes.count <= limit else { throw TrustError(.tooLong, "\(path) is longer than 1 MiB") }
        return bytes
    }
}
