// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The grammar of target ids.
package enum TargetID {
    /// Letters, digits, `-`, `_`, `.`, `:`; 1 to 128 bytes.
    package static func isValid(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
                case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"): true
                default: false
                }
            }
    }
}
