// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
public import NetworkPaths
public import Probing
public import ServerTrust

/// A judgement of a server's certificates outside the service, in the words of the HTTP interface: what
/// `reachd trust --json` prints.
public struct TrustListing: Sendable {
    /// The handshake that showed the certificates.
    public struct Handshake: Sendable {
        /// What it came to.
        public var report: TLSReport
        /// Who showed them.
        public var address: IPAddress
        /// From the first packet to the end.
        public var duration: Duration
        /// Why it failed though the certificates were accepted, such as for want of one of ours; nil: it did not.
        public var failure: ProbeReason?
        /// That, for people.
        public var detail: String

        /// Creates a handshake from its parts.
        public init(
            report: TLSReport,
            address: IPAddress,
            duration: Duration,
            failure: ProbeReason? = nil,
            detail: String = ""
        ) {
            self.report = report
            self.address = address
            self.duration = duration
            self.failure = failure
            self.detail = detail
        }
    }

    /// What was judged: the server, or the files.
    public var subject: String
    /// By which policy.
    public var policy: SecurityPolicy
    /// Whom the certificate should be for; nil: nobody in particular.
    public var domain: String?
    /// The files of what is trusted; empty: what the system trusts.
    public var anchors: [String]
    /// What came out.
    public var verdict: TrustVerdict
    /// How the certificates came here; nil when they are files.
    public var handshake: Handshake?

    /// Creates a listing from its parts.
    public init(
        subject: String,
        policy: SecurityPolicy,
        domain: String?,
        anchors: [String],
        verdict: TrustVerdict,
        handshake: Handshake? = nil
    ) {
        self.subject = subject
        self.policy = policy
        self.domain = domain
        self.anchors = anchors
        self.verdict = verdict
        self.handshake = handshake
    }

    /// One object, without a line feed.
    public var document: [UInt8] {
        var writer = JSONWriter(reserving: 8_192)
        writer.object { writer in
            writer.member("subject", subject)
            writer.member("accepted", verdict.isAccepted)
            writer.member("row", verdict.row.description)
            writer.policyMembers(self)
            writer.member("at", Timestamp(seconds: verdict.checkedAt))
            writer.member("predicates") { writer in
                let predicates = verdict.predicates
                writer.member("is_valid", predicates.isValid)
                writer.optional("matches_domain", predicates.matchesDomain) { $0.boolean($1) }
                writer.optional("has_pinned_key", predicates.hasPinnedKey) { $0.boolean($1) }
                writer.optional("is_valid_against_pins", predicates.isValidAgainstPins) { $0.boolean($1) }
            }
            writer.optional("first_fault", verdict.firstFault) { $0.fault($1) }
            writer.key("faults")
            writer.array(verdict.faults) { $0.fault($1) }
            writer.key("tolerated")
            writer.array(verdict.tolerated) { $0.fault($1) }
            writer.key("warnings")
            writer.array(verdict.warnings) { writer, warning in
                writer.object {
                    $0.member("code", warning.rawValue)
                    $0.member("detail", warning.words)
                }
            }
            writer.member("chain_count", verdict.sentCount)
            writer.key("chain")
            writer.array(verdict.sentChain) { $0.chainElement($1) }
            writer.key("built_chain")
            writer.array(verdict.builtChain) { $0.chainElement($1) }
            writer.member("expiry") { writer in
                let expiry = verdict.expiry
                for (name, end) in [
                    ("leaf", expiry.leaf), ("earliest_sent", expiry.earliestSent),
                    ("verified_chain", expiry.verifiedChain), ("pins", expiry.pins),
                ] as [(StaticString, Int64?)] {
                    writer.optional(name, end) { $0.time(Timestamp(seconds: $1)) }
                }
            }
            writer.optional("tls", handshake) { $0.handshake($1) }
        }
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func policyMembers(_ listing: TrustListing) {
        let policy = listing.policy
        member("compatibility", policy.compatibility.rawValue)
        member("mode", policy.pinningMode.name)
        member("pin_count", policy.pins.count)
        member("allow_invalid", policy.allowInvalidCertificates)
        member("validate_domain", policy.validatesDomainName)
        member("purpose", policy.effectivePurpose.rawValue)
        member("common_name", policy.allowsCommonName)
        member("allow_weak", policy.allowsWeakCertificates)
        optional("domain", listing.domain) { $0.string($1) }
        member("anchors") { writer in
            writer.member("source", listing.anchors.isEmpty ? "system" : "files")
            writer.key("places")
            writer.array(listing.anchors.isEmpty ? TrustAnchors.systemPlaces : listing.anchors) { $0.string($1) }
        }
    }

    fileprivate mutating func fault(_ fault: TrustFault) {
        object {
            $0.member("code", fault.code.rawValue)
            $0.member("depth", fault.depth)
            $0.member("detail", fault.words)
        }
    }

    fileprivate mutating func chainElement(_ certificate: Certificate) {
        object { writer in
            writer.certificateMembers(certificate)
            writer.optional("pin", certificate.pin) { $0.string($1) }
            writer.member("key", certificate.key)
            writer.member("signature_algorithm", certificate.signatureAlgorithm)
            writer.member("is_authority", certificate.isAuthority)
        }
    }

    fileprivate mutating func handshake(_ handshake: TrustListing.Handshake) {
        object { writer in
            let report = handshake.report
            writer.member("address", handshake.address.description)
            writer.member("duration_seconds", handshake.duration)
            writer.member("version", report.version)
            writer.optional("cipher", report.cipher) { $0.string($1) }
            writer.optional("alpn", report.applicationProtocol) { $0.string($1) }
            writer.optional("staple", report.staple) { writer, staple in
                writer.object { writer in
                    writer.member("status", staple.status.rawValue)
                    writer.optional("this_update", staple.thisUpdate) { $0.time(Timestamp(seconds: $1)) }
                    writer.optional("next_update", staple.nextUpdate) { $0.time(Timestamp(seconds: $1)) }
                    writer.optional("revoked_at", staple.revokedAt) { $0.time(Timestamp(seconds: $1)) }
                }
            }
            writer.optional("failure", handshake.failure) { writer, reason in
                writer.object {
                    $0.member("code", reason.rawValue)
                    $0.member("detail", handshake.detail)
                }
            }
        }
    }

    /// A member that is always there, be it as null.
    fileprivate mutating func optional<Value>(
        _ name: StaticString,
        _ value: Value?,
        _ write: (inout JSONWriter, Value) -> Void
    ) {
        key(name)
        if let value { write(&self, value) } else { null() }
    }
}
