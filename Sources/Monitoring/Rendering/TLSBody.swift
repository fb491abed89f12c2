// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import JSON
package import Probing
package import ServerTrust

/// What is said of a TLS handshake and of certificates. All of it is public: what the server shows to everybody.
extension JSONWriter {
    /// Names of a certificate in a list of targets; there it may have a hundred.
    private static let briefNameLimit = 16

    package mutating func tlsMembers(_ tls: TLSReport, detail: ResultDetail) {
        member("version", tls.version)
        if let cipher = tls.cipher { member("cipher", cipher) }
        if let alpn = tls.applicationProtocol { member("alpn", alpn) }
        member("is_trusted", tls.isTrusted)
        member("trust") { $0.trustMembers(tls.trust) }
        member("chain_count", tls.trust.sentCount)
        switch detail {
        case .brief:
            if let leaf = tls.chain.first {
                member("certificate") { $0.certificateMembers(leaf, nameLimit: Self.briefNameLimit) }
            }
        case .full:
            key("chain")
            array(tls.chain) { writer, certificate in writer.object { $0.certificateMembers(certificate) } }
            let sent = Set(tls.chain.map(\.fingerprint))
            key("built_chain")
            array(tls.trust.builtChain) { writer, certificate in
                writer.object {
                    if sent.contains(certificate.fingerprint) {
                        $0.certificateIdentity(certificate)
                    } else {
                        $0.certificateMembers(certificate)
                    }
                }
            }
        }
        if let staple = tls.staple { member("staple") { $0.stapleMembers(staple) } }
    }

    package mutating func trustMembers(_ verdict: TrustVerdict) {
        member("is_accepted", verdict.isAccepted)
        member("row", verdict.row.description)
        let predicates = verdict.predicates
        member("is_valid", predicates.isValid)
        if let matches = predicates.matchesDomain { member("matches_domain", matches) }
        if let hasPin = predicates.hasPinnedKey { member("has_pinned_key", hasPin) }
        if let isValid = predicates.isValidAgainstPins { member("is_valid_against_pins", isValid) }
        key("faults")
        self.faults(verdict.faults)
        key("tolerated")
        self.faults(verdict.tolerated)
        key("warnings")
        array(verdict.warnings) { $0.string($1.rawValue) }
        member("expiry") { writer in
            let expiry = verdict.expiry
            if let time = expiry.leaf { writer.member("leaf", Timestamp(seconds: time)) }
            if let time = expiry.earliestSent { writer.member("earliest_sent", Timestamp(seconds: time)) }
            if let time = expiry.verifiedChain { writer.member("verified_chain", Timestamp(seconds: time)) }
            if let time = expiry.pins { writer.member("pins", Timestamp(seconds: time)) }
        }
    }

    private mutating func faults(_ faults: [TrustFault]) {
        array(faults) { writer, fault in
            writer.object {
                $0.member("code", fault.code.rawValue)
                $0.member("depth", fault.depth)
                $0.member("detail", fault.words)
            }
        }
    }

    package mutating func stapleMembers(_ staple: StapledResponse) {
        member("status", staple.status.rawValue)
        if let time = staple.thisUpdate { member("this_update", Timestamp(seconds: time)) }
        if let time = staple.nextUpdate { member("next_update", Timestamp(seconds: time)) }
        if let time = staple.revokedAt { member("revoked_at", Timestamp(seconds: time)) }
    }

    // MARK: Certificates

    /// The identity of a certificate, for programs and for people.
    private mutating func certificateIdentity(_ certificate: Certificate) {
        member("fingerprint_sha256", certificate.fingerprint)
        member("subject", certificate.subject)
    }

    /// What a certificate says, but for its signature.
    package mutating func certificateMembers(_ certificate: Certificate, nameLimit: Int = .max) {
        certificateIdentity(certificate)
        member("spki_sha256", certificate.publicKeyDigest)
        if let pin = certificate.pin { member("pin", pin) }
        member("issuer", certificate.issuer)
        member("serial_number", certificate.serialNumber)
        key("names")
        array(certificate.names.prefix(nameLimit)) { $0.string($1) }
        member("name_count", certificate.nameCount)
        if let time = certificate.notBefore { member("not_before", Timestamp(seconds: time)) }
        if let time = certificate.notAfter { member("not_after", Timestamp(seconds: time)) }
        if !certificate.key.isEmpty { member("key", certificate.key) }
        if !certificate.signatureAlgorithm.isEmpty { member("signature_algorithm", certificate.signatureAlgorithm) }
        member("is_authority", certificate.isAuthority)
    }

    /// What is different about a target's certificate.
    package mutating func certificateChangeMembers(_ change: CertificateChange) {
        key("changed")
        array(change.changed) { $0.string($1.rawValue) }
        key("names_added")
        array(change.namesAdded) { $0.string($1) }
        key("names_removed")
        array(change.namesRemoved) { $0.string($1) }
        member("old") { $0.certificateMembers(change.previous) }
        member("new") { $0.certificateMembers(change.current) }
    }
}
