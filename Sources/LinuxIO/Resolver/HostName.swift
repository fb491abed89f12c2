// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Rules about names that need no server.
enum HostName {
    /// Whether this can be asked for: 1 to 253 bytes in labels of 1 to 63 (RFC 1035, section 2.3.4), a dot at the end
    /// allowed; no NUL, which would cut it, and no backslash, which c-ares takes for an escape.
    static func isValid(_ name: String) -> Bool {
        var bytes = Substring(name).utf8
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        guard (1...253).contains(bytes.count), !bytes.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\\") }) else {
            return false
        }
        return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { (1...63).contains($0.count) }
    }

    /// Whether it means this machine, whatever a server says: `localhost` and everything below (RFC 6761, section 6.3).
    static func isLocalhost(_ name: String) -> Bool {
        let lower = name.lowercased()
        let bare = lower.hasSuffix(".") ? String(lower.dropLast()) : lower
        return bare == "localhost" || bare.hasSuffix(".localhost")
    }
}
