// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport

/// What gzip(1) makes of bytes.
func unzipped(_ bytes: [UInt8]) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let file = folder.path(of: "body")
    let output = OwnedDescriptor(
        owning: try systemCall("open") { unsafe open(file + ".gz", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
    )
    var written = 0
    while written < bytes.count {
        written += try unsafe bytes[written...].withUnsafeBytes { rest in
            try systemCall("write") { unsafe write(output.number, rest.baseAddress, rest.count) }
        }
    }
    try Command.run(["gzip", "-d", file + ".gz"])
    return try FileContents.read(file, limit: 1 << 26)
}
