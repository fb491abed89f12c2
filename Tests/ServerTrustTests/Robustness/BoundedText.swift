// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust

/// What is promised of every text about a stranger's certificates: printable ASCII, but for the ellipsis where one was
/// cut, and no longer than said.
enum BoundedText {
    /// What breaks the promise.
    static func violations(in verdict: TrustVerdict) -> [String] {
        var found: [String] = []
        if verdict.sentChain.count > 10 { found.append("\(verdict.sentChain.count) sent") }
        if verdict.builtChain.count > 10 { found.append("\(verdict.builtChain.count) built") }
        if verdict.faults.count > 16 { found.append("\(verdict.faults.count) faults") }
        if verdict.tolerated.count > 16 { found.append("\(verdict.tolerated.count) tolerated") }
        for fault in verdict.allFaults {
            if fault.depth < 0 || fault.depth > 20 { found.append("depth \(fault.depth)") }
            check(fault.words, limit: 600, &found)
        }
        let certificates = verdict.sentChain + verdict.builtChain
        for (index, certificate) in certificates.enumerated() {
            found += violations(in: certificate, isLeaf: index == 0 || index == verdict.sentChain.count)
        }
        return found
    }

    /// What breaks the promise.
    static func violations(in certificate: Certificate, isLeaf: Bool) -> [String] {
        var found: [String] = []
        check(certificate.subject, limit: 256, &found)
        check(certificate.issuer, limit: 256, &found)
        check(certificate.serialNumber, limit: 65, &found)
        check(certificate.key, limit: 64, &found)
        check(certificate.signatureAlgorithm, limit: 64, &found)
        if certificate.fingerprint.utf8.count != 64 { found.append("fingerprint \(certificate.fingerprint)") }
        if certificate.publicKeyDigest.utf8.count != 64 { found.append("digest \(certificate.publicKeyDigest)") }
        if certificate.names.count > (isLeaf ? 100 : 10) { found.append("\(certificate.names.count) names") }
        for name in certificate.names { check(name, limit: 256 + 6, &found) }
        return found
    }

    private static func check(_ text: String, limit: Int, _ found: inout [String]) {
        let plain = text.hasSuffix("…") ? text.dropLast() : text[...]
        if plain.utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }) { found.append("not printable: \(text)") }
        if plain.utf8.count > limit { found.append("too long: \(text)") }
    }
}
