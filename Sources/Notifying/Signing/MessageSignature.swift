// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import ServerTrust

/// How a receiver knows that a message is ours: HMAC-SHA256 (RFC 2104) over the time and the body.
///
/// The header `Reachd-Signature: t=SECONDS,v1=HEX` has the time of sending, in seconds since 1970, and the code over
/// `SECONDS`, a full stop and the body's bytes. Whoever receives it computes the same over what came, compares in constant
/// time, and refuses a time that is more than a few minutes off.
enum MessageSignature {
    static let header = "Reachd-Signature"

    /// The header's value; nil when there is no memory.
    static func value(body: [UInt8], secret: [UInt8], time: Int64) -> String? {
        code(of: Array("\(time).".utf8) + body, key: secret).map { "t=\(time),v1=\(PrintableBytes.hexadecimal($0))" }
    }

    /// HMAC-SHA256.
    static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        let blockSize = 64
        guard var block = key.count > blockSize ? SHA256.digest(of: key) : key else { return nil }
        block += [UInt8](repeating: 0, count: blockSize - block.count)
        guard let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + bytes) else { return nil }
        return SHA256.digest(of: block.map { $0 ^ 0x5C } + inner)
    }
}
