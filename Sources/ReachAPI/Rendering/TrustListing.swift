// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
package import NetworkPaths
package import Probing
package import ServerTrust

/// An evaluation of a server's certificates outside the service, in the HTTP API's format: the output of
/// `reachd trust --json`.
package struct TrustListing: Sendable {
    /// The handshake that provided the certificates.
    package struct Handshake: Sendable {
        /// Its result.
        package var report: TLSReport
        /// The server's address.
        package var address: IPAddress
        /// From the first packet to the end.
        package var duration: Duration
        /// Why it failed although the certificates were accepted, such as for lack of a client certificate; nil if it
        /// succeeded.
        package var failure: ProbeReason?
        /// The failure's description for people.
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

    /// The subject: the server, or the files.
    package var subject: String
    /// The policy.
    package var policy: SecurityPolicy
    /// The name that the certificate must be valid for; nil for any.
    package var domain: String?
    /// The files of trust anchors; empty for the system's.
    package var anchors: [String]
    /// The verdict.
    package var verdict: TrustVerdict
    /// The handshake; nil for certificates from files.
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
