// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
package import NetworkPaths
package import Probing
package import ServerTrust

/// A judgement of a server's certificates outside the service, in the words of the HTTP interface: what
/// `reachd trust --json` prints.
package struct TrustListing: Sendable {
    /// The handshake that showed the certificates.
    package struct Handshake: Sendable {
        /// What it came to.
        package var report: TLSReport
        /// Who showed them.
        package var address: IPAddress
        /// From the first packet to the end.
        package var duration: Duration
        /// Why it failed though the certificates were accepted, such as for want of one of ours; nil: it did not.
        package var failure: ProbeReason?
        /// That, for people.
        package var detail: String

        /// Creates a handshake from its parts.
        package init(
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
    package var subject: String
    /// By which policy.
    package var policy: SecurityPolicy
    /// Whom the certificate should be for; nil: nobody in particular.
    package var domain: String?
    /// The files of what is trusted; empty: what the system trusts.
    package var anchors: [String]
    /// What came out.
    package var verdict: TrustVerdict
    /// How the certificates came here; nil when they are files.
    package var handshake: Handshake?

    /// Creates a listing from its parts.
    package init(
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
    package var document: [UInt8] {
        var writer = JSONWriter(reserving: 8_192)
        writer.object { writer in
            writer.member("subject", subject)
            if let domain { writer.member("domain", domain) }
            writer.member("at", Timestamp(seconds: verdict.checkedAt))
            writer.member("policy") { $0.policyMembers(policy) }
            writer.member("anchors") { writer in
                writer.member("source", anchors.isEmpty ? "system" : "files")
                writer.key("places")
                writer.array(anchors.isEmpty ? TrustAnchors.systemPlaces : anchors) { $0.string($1) }
            }
            writer.member("trust") { $0.trustMembers(verdict) }
            writer.member("chain_count", verdict.sentCount)
            writer.key("chain")
            writer.array(verdict.sentChain) { writer, certificate in
                writer.object { $0.certificateMembers(certificate) }
            }
            writer.key("built_chain")
            writer.array(verdict.builtChain) { writer, certificate in
                writer.object { $0.certificateMembers(certificate) }
            }
            if let handshake { writer.member("handshake") { $0.handshakeMembers(handshake) } }
        }
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func policyMembers(_ policy: SecurityPolicy) {
        member("mode", policy.pinningMode.name)
        member("pin_count", policy.pins.count)
        member("compatibility", policy.compatibility.rawValue)
        member("purpose", policy.effectivePurpose.rawValue)
        member("allow_invalid", policy.allowInvalidCertificates)
        member("validate_domain", policy.validatesDomainName)
        member("common_name", policy.allowsCommonName)
        member("allow_weak", policy.allowsWeakCertificates)
    }

    fileprivate mutating func handshakeMembers(_ handshake: TrustListing.Handshake) {
        let report = handshake.report
        member("address", handshake.address.description)
        member("duration_seconds", handshake.duration)
        member("version", report.version)
        if let cipher = report.cipher { member("cipher", cipher) }
        if let alpn = report.applicationProtocol { member("alpn", alpn) }
        if let staple = report.staple { member("staple") { $0.stapleMembers(staple) } }
        if let failure = handshake.failure {
            member("failure") { writer in
                writer.member("code", failure.rawValue)
                writer.member("detail", handshake.detail)
            }
        }
    }
}
