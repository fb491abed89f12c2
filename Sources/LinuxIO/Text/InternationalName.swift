// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CIDN

/// Host names beyond ASCII: IDNA 2008 (RFC 5891) with the mapping of UTS 46.
package enum InternationalName {
    /// The form of a name that name servers, certificates and HTTP know: `xn--mller-kva.example` for `Müller.example`. A name in ASCII is
    /// returned unchanged. Any thread.
    ///
    /// - Returns: nil for a name beyond ASCII that no server can have.
    package static func ascii(_ name: String) -> String? {
        guard name.utf8.contains(where: { $0 >= 0x80 }) else { return name }
        guard name.utf8.count <= 1_024, !name.utf8.contains(0) else { return nil }
        // Symbols are not in IDNA 2008 and yet in use; the transitional mapping has them. It must not change a name that IDNA 2008 has.
        let isDeviating = name.unicodeScalars.contains { Self.deviating.contains($0.value) }
        guard let ascii = convert(name) ?? (isDeviating ? nil : convert(name, isTransitional: true)) else { return nil }
        // The mapping turns some characters into ASCII ones that no host name has: `℀` is `a/c`.
        let isHostName = ascii.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-_.".utf8.contains(byte)
        }
        return isHostName ? ascii : nil
    }

    /// What the transitional mapping changes (UTS 46, section 2.3): ß, ẞ, ς and the joiners.
    private static let deviating: Set<UInt32> = [0xDF, 0x1E9E, 0x3C2, 0x200C, 0x200D]

    private static func convert(_ name: String, isTransitional: Bool = false) -> String? {
        var ascii = [CChar](repeating: 0, count: 256)
        guard unsafe reachd_idn_to_ascii(name, isTransitional ? 1 : 0, &ascii, ascii.count) != 0 else { return nil }
        return String(decoding: ascii.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
