// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import Monitoring
import NetworkPaths
import ServerTrust

@testable import Probing

extension TargetSettings {
    /// A target that is asked by tcp; one result makes a verdict.
    static func probed(
        _ id: String,
        group: String? = nil,
        dependsOn: [String] = [],
        by kind: ProbeKind = .tcp(TCPProbeSettings(port: 443))
    ) throws -> TargetSettings {
        var target = TargetSettings.address(id, group: group)
        let request = ProbeRequest(
            host: .address(IPAddress(ipv4: 0xc633_6401)),
            kind: kind,
            timeout: .seconds(2)
        )
        target.probe = ProbePlan(.ask(request), verdict: try VerdictSettings(fall: 1, rise: 1, interval: .seconds(10)))
        target.dependsOn = dependsOn
        return target
    }

    /// A target of which everything is set that a probe's body shows.
    static func probedByName(_ id: String) throws -> TargetSettings {
        var target = try probed(id)
        var request = ProbeRequest(host: .name("example.org"), kind: .icmp(ICMPProbeSettings()))
        request.family = .both
        request.addresses = .all
        request.source = IPAddress(ipv4: 0x7f00_0001)
        request.interface = "eth0"
        request.expectsFailure = true
        request.latencyBound = .milliseconds(500)
        target.probe = ProbePlan(.ask(request))
        return target
    }

    private static func address(_ id: String, group: String?) -> TargetSettings {
        TargetSettings(
            id: id,
            request: PathRequest(.address(IPAddress(ipv4: 0xc633_6401))),
            text: "198.51.100.1",
            group: group,
            origin: .config
        )
    }

    /// A target that calls.
    static func calling(_ id: String) throws -> TargetSettings {
        var target = try probed(id)
        target.probe = ProbePlan(
            .heartbeat(grace: .seconds(30)),
            verdict: try VerdictSettings(fall: 1, interval: .seconds(60))
        )
        return target
    }
}

extension ProbeResult {
    static let success = ProbeResult(
        outcome: .success,
        detail: "connected",
        duration: .microseconds(12_345),
        phases: [.connect: .microseconds(12_000)],
        address: IPAddress(ipv4: 0xc633_6401)
    )

    /// A router two hops away reports that it has no route.
    static var rejected: ProbeResult {
        var result = ProbeResult.failure(.networkUnreachable, "203.0.113.2 says: no route to the network")
        result.packetError = PacketError(
            systemError: ENETUNREACH,
            message: PacketError.Message(
                family: .ipv4,
                type: 3,
                code: 0,
                offender: IPAddress(ipv4: 0xCB00_7102),
                hopLimit: 63
            ),
            local: IPAddress(ipv4: 0xC000_0202),
            peer: IPAddress(ipv4: 0xC633_6401)
        )
        return result
    }

    static func failure(_ reason: ProbeReason = .connectRefused, _ detail: String = "refused") -> ProbeResult {
        ProbeResult(outcome: .failure, reason: reason, detail: detail, duration: .milliseconds(1))
    }

    static let slow = ProbeResult(
        outcome: .degraded,
        reason: .tooSlow,
        detail: "took longer than 0.5 seconds",
        duration: .milliseconds(700)
    )

    /// The result of a probe of a time server whose clock is so many milliseconds ahead.
    static func time(offset: Int64) throws -> ProbeResult {
        struct NoMessage: Error {}
        func big(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
        let sent = NTPTime(nanoseconds: 1_000_000_000_000)
        let there = NTPTime(nanoseconds: UInt64(1_000_000_000_000 + offset * 1_000_000))
        let bytes =
            [0x24, 2, 6, 0xE9, 0, 0, 0x40, 0, 0, 1, 0x80, 0, 192, 0, 2, 9] + big(0) + big(7) + big(there.bits)
            + big(there.bits)
        guard case .reply(let message) = NTPMessage.read(bytes, nonces: [7]).reading else { throw NoMessage() }
        var result = ProbeResult.success
        result.answers = ProbeAnswers([NTPAnswer(message, sent: sent, received: sent)])
        return result
    }

    /// Everything that a result can have.
    static var rich: ProbeResult { rich(showing: "aa") }

    /// Everything that a result can have, with a certificate of this fingerprint.
    static func rich(showing fingerprint: String) -> ProbeResult {
        let seven = Duration.microseconds(7)
        let addresses = [IPAddress(ipv4: 1), IPAddress("2001:db8::1") ?? IPAddress(ipv4: 2)]
        return ProbeResult(
            outcome: .degraded,
            reason: .someAddressesFailed,
            detail: "1 of 2 addresses failed",
            duration: .milliseconds(3),
            phases: [
                .resolve: seven, .connect: seven, .startTLS: seven, .tls: seven, .request: seven, .transfer: seven,
            ],
            address: addresses[0],
            addresses: [
                AddressResult(addresses[0], .success, nil, "answered"),
                AddressResult(addresses[1], .failure, .timeout, "no answer"),
            ],
            answers: ProbeAnswers([
                ICMPStatistics(roundTrips: [1_000_000, nil, 2_000_000], hopLimit: 57),
                HTTPAnswer(
                    status: 503,
                    version: "1.1",
                    bodySize: 1 << 20,
                    isBodyComplete: false,
                    contentType: "text/html",
                    redirects: 2,
                    url: "https://example.org/"
                ),
                DNSAnswer(
                    code: .noError,
                    isAuthoritative: true,
                    answers: [DNSRecord(name: "example.org", type: .a, timeToLive: 60, data: "192.0.2.1")],
                    timeToLive: 60,
                    authorityCount: 0,
                    additionalCount: 0
                ),
            ]),
            tls: TLSReport(
                version: "TLSv1.3",
                cipher: "TLS_AES_256_GCM_SHA384",
                applicationProtocol: "h2",
                trust: TrustVerdict(
                    isAccepted: false,
                    predicates: TrustPredicates(
                        isValid: false,
                        matchesDomain: false,
                        hasPinnedKey: false,
                        isValidAgainstPins: false
                    ),
                    faults: TrustFault.Code.allCases.map { TrustFault($0, words: "is \($0)") },
                    tolerated: [TrustFault(.expired, depth: 1, words: "a week ago")],
                    warnings: TrustWarning.allCases,
                    sentChain: [certificate(fingerprint)],
                    builtChain: [certificate(fingerprint), authority],
                    expiry: TrustExpiry(
                        leaf: 1_900_000_000,
                        earliestSent: 1_800_000_000,
                        verifiedChain: 1_850_000_000,
                        pins: 1_900_000_000
                    ),
                    checkedAt: 1_795_000_000
                ),
                staple: StapledResponse(
                    status: .revoked,
                    thisUpdate: 1_795_000_000,
                    nextUpdate: 1_796_000_000,
                    revokedAt: 1_794_000_000
                )
            )
        )
    }

    private static let authority = Certificate(
        subject: "CN=An authority",
        issuer: "CN=An authority",
        serialNumber: "02",
        fingerprint: "dd",
        publicKeyDigest: "ee",
        isAuthority: true
    )

    private static func certificate(_ fingerprint: String) -> Certificate {
        Certificate(
            subject: "CN=example.org",
            issuer: "CN=An authority",
            serialNumber: "01",
            fingerprint: fingerprint,
            publicKeyDigest: "bb",
            names: ["example.org", "\u{1}\"*.example.org"],
            notBefore: 1_700_000_000,
            notAfter: 1_900_000_000,
            key: "EC 256",
            signatureAlgorithm: "ecdsa-with-SHA256"
        )
    }
}
