// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// Small files and links of `/proc` and `/etc`.
enum SystemFile {
    /// A file's text; nil when it cannot be read.
    static func text(_ path: String) -> String? {
        guard let bytes = try? FileContents.read(path, limit: 65_536) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where a link leads; nil when it cannot be read.
    static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 1_024)
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Whether this process has a capability, by its number (capabilities(7)).
    static func hasCapability(_ number: Int) -> Bool {
        guard let line = text("/proc/self/status")?.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
            let digits = line.split(whereSeparator: { $0 == "\t" || $0 == " " }).last,
            let set = UInt64(digits, radix: 16)
        else { return false }
        return set >> UInt64(number) & 1 == 1
    }
}
