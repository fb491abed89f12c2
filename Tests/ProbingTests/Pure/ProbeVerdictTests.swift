// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import ServerTrust
import Testing

@testable import Probing

@Suite struct ProbeVerdictTests {
    static let address = IPAddress(ipv4: 0x7F00_0001)
    var request = ProbeRequest(host: .address(address), kind: .tcp(TCPProbeSettings(port: 1)))

    func result(_ outcome: ProbeOutcome, _ reason: ProbeReason? = nil, answered: Bool = false) -> AddressResult {
        var result = AddressResult(Self.address, outcome, reason, "detail")
        result.isAnswered = answered
        result.duration = .milliseconds(20)
        return result
    }

    func combine(_ results: [AddressResult]) throws -> ProbeResult {
        let plan = try AddressPlan([Self.address], for: request)
        return ProbeVerdict.result(
            of: Array(results.indices),
            all: results,
            plan: plan,
            request: request,
            duration: .milliseconds(30),
            resolveTime: .milliseconds(5)
        )
    }

    @Test func combinations() throws {
        let good = result(.success)
        let bad = result(.failure, .timeout)
        let half = result(.degraded, .packetLoss)
        #expect(try combine([good, good]).outcome == .success)
        #expect(try combine([good, half]).reason == .packetLoss)
        #expect(try combine([bad, bad]).reason == .timeout)
        let mixed = try combine([good, bad])
        #expect(mixed.outcome == .degraded)
        #expect(mixed.reason == .someAddressesFailed)
        #expect(mixed.phases[.resolve] == .milliseconds(5))
    }

    @Test("too_slow") mutating func bound() throws {
        request.latencyBound = .milliseconds(19)
        #expect(try combine([result(.success)]).reason == .tooSlow)
        #expect(try combine([result(.success)]).outcome == .degraded)
        request.latencyBound = .milliseconds(20)
        #expect(try combine([result(.success)]).outcome == .success)
        #expect(try combine([result(.failure, .timeout)]).reason == .timeout)
    }

    @Test("certificate_expires_soon") mutating func certificate() throws {
        func good(verified: Int64?, leaf: Int64?, now: Int64 = 1_000) -> AddressResult {
            var good = result(.success)
            let verdict = TrustVerdict(
                isAccepted: true,
                predicates: TrustPredicates(isValid: true, matchesDomain: true),
                expiry: TrustExpiry(leaf: leaf, verifiedChain: verified),
                checkedAt: now
            )
            good.tls = TLSReport(version: "TLSv1.3", trust: verdict)
            return good
        }
        request.expiry.certificate = 1
        #expect(try combine([good(verified: 87_400, leaf: 999_999)]).outcome == .success)
        #expect(try combine([good(verified: 87_399, leaf: 999_999)]).reason == .certificateExpiresSoon)
        #expect(try combine([good(verified: 999_999, leaf: 1_001)]).outcome == .success)
        #expect(try combine([good(verified: nil, leaf: 87_399)]).reason == .certificateExpiresSoon)
        #expect(try combine([good(verified: nil, leaf: nil)]).outcome == .success)
        #expect(try combine([good(verified: .min, leaf: nil, now: .max)]).outcome == .success)
        #expect(try combine([good(verified: .min, leaf: nil, now: 0)]).reason == .certificateExpiresSoon)
        #expect(try combine([result(.success)]).outcome == .success)
        #expect(try combine([result(.failure, .tlsExpired)]).reason == .tlsExpired)
        request.latencyBound = .milliseconds(1)
        #expect(try combine([good(verified: 1_099, leaf: nil)]).reason == .certificateExpiresSoon)
    }

    @Test("With reachable: false only proof of silence is a success", arguments: ProbeReason.allCases)
    mutating func turnedRound(_ reason: ProbeReason) throws {
        request.expectsFailure = true
        let silent = try combine([result(.failure, reason)])
        #expect(silent.outcome == (reason.showsUnreachable ? .success : .failure))
        #expect(silent.reason == (reason.showsUnreachable ? nil : reason))
        #expect(try combine([result(.failure, reason, answered: true)]).reason == .unexpectedlyReachable)
        #expect(try combine([result(.failure, reason), result(.success)]).reason == .unexpectedlyReachable)
    }

    @Test func icmpStatistics() {
        let statistics = ICMPStatistics(roundTrips: [100, nil, 300, 200])
        #expect(statistics.sent == 4 && statistics.received == 3 && statistics.loss == 0.25)
        #expect(statistics.minimum == .nanoseconds(100) && statistics.maximum == .nanoseconds(300))
        #expect(statistics.average == .nanoseconds(200) && statistics.jitter == .nanoseconds(150))
        #expect(ICMPStatistics(roundTrips: []).loss == 0)
        #expect(ICMPStatistics(roundTrips: [nil]).average == nil)
        #expect(ICMPStatistics(roundTrips: [5]).jitter == nil)
    }

    @Test("The clock that is set does not make a round trip") func clockSteps() {
        let sent = PacketTime(real: 1_000, monotonic: 50)
        let now = PacketTime(real: 9_000, monotonic: 450)
        #expect(sent.roundTrip(kernelTime: 1_300, now: now) == 300)
        #expect(sent.roundTrip(kernelTime: 900, now: now) == 400)
        #expect(sent.roundTrip(kernelTime: 8_000, now: now) == 400)
        #expect(sent.roundTrip(kernelTime: nil, now: now) == 400)
    }
}
