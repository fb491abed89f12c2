// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// Computes the result of a run from the results of its addresses. Pure.
enum ProbeVerdict {
    /// Applies the bounds on time and certificates, and the inversion by `reachable: false`, to the result of one
    /// address.
    static func judge(_ result: AddressResult, for request: ProbeRequest) -> AddressResult {
        var result = result
        if request.expectsFailure {
            if result.isAnswered || result.outcome != .failure && result.absence == nil {
                result.outcome = .failure
                result.reason = .unexpectedlyReachable
                result.detail = "unexpectedly reachable: \(result.detail)"
            } else if let reason = result.reason ?? result.absence, reason.showsUnreachable,
                result.packetError?.isRefusedHere != true
            {
                result.outcome = .success
                result.reason = nil
                result.absence = reason
                result.detail = "unreachable as expected (\(reason.rawValue))"
            }
            return result
        }
        if result.outcome == .success,
            let fault = result.tls.flatMap({ ExpiryCheck.fault(of: $0.trust, request.expiry) })
        {
            result.outcome = .degraded
            result.reason = fault.reason
            result.detail = fault.detail
        }
        let time = result.answers.responseTime ?? result.duration
        if result.outcome == .success, let bound = request.latencyBound, time > bound {
            result.outcome = .degraded
            result.reason = .tooSlow
            result.detail = "\(time.milliseconds), slower than \(bound.milliseconds)"
        }
        return result
    }

    static func result(
        of lanes: [AddressResult],
        all: [AddressResult],
        plan: AddressPlan,
        request: ProbeRequest,
        duration: Duration,
        resolveTime: Duration?
    ) -> ProbeResult {
        let judged = lanes.map { judge($0, for: request) }
        let failures = judged.filter { $0.outcome == .failure }
        let others = judged.filter { $0.outcome != .failure }
        guard let leader = decisive(failures: failures, others: others, request: request) else {
            return ProbeResult(
                outcome: .failure,
                reason: .systemError,
                detail: "no address was probed",
                duration: duration
            )
        }
        var result = ProbeResult(
            outcome: leader.outcome,
            reason: leader.reason,
            detail: leader.detail,
            duration: duration,
            phases: leader.phases,
            address: leader.address,
            addresses: all.map { judge($0, for: request) },
            answers: leader.answers,
            tls: leader.tls
        )
        result.packetError = leader.packetError
        result.stall = leader.stall
        if result.outcome == .success {
            // Of several absences, take the one that proves least about the network path.
            let absences = others.compactMap(\.absence)
            result.absence = absences.first { $0 == .timeout } ?? absences.first { !$0.isOwnWord } ?? absences.first
        }
        // A redirect may have resolved a name as well.
        if let resolveTime { result.phases[.resolve, default: .zero] += resolveTime }
        if !failures.isEmpty, !others.isEmpty, !request.expectsFailure {
            result.outcome = .degraded
            result.reason = .someAddressesFailed
            result.detail = "\(failures.count) of \(judged.count) failed, \(failures[0].address): \(failures[0].detail)"
        } else if let missing = plan.missing, result.outcome == .success, !request.expectsFailure {
            let name = "\(request.connectedHost)"
            result.outcome = .degraded
            if let unanswered = plan.unanswered, unanswered.family == missing {
                result.reason = ResolverReason.fault(of: unanswered.outcome, name: name).reason
                result.detail = "the name servers gave no answer about \(missing) addresses of \(name)"
            } else {
                result.reason = .nameWithoutAddress
                result.detail = "\(name) has no \(missing) address"
            }
        } else if let unanswered = plan.unanswered {
            result.detail += " (the name servers gave no answer about \(unanswered.family) addresses)"
        }
        if plan.leftOut > 0 { result.detail += " (\(plan.leftOut) further addresses were not probed)" }
        return result
    }

    private static func decisive(
        failures: [AddressResult],
        others: [AddressResult],
        request: ProbeRequest
    ) -> AddressResult? {
        if request.expectsFailure {
            // An answer decides; otherwise an address that could not be probed leaves the question open.
            return failures.first { $0.reason == .unexpectedlyReachable } ?? failures.first ?? others.first
        }
        return others.first { $0.outcome == .degraded } ?? others.first ?? failures.first
    }
}

extension Duration {
    /// In milliseconds with at most two decimals and, if it is less than 1 s, three digits, for people: `1.23 ms`, `12.3 ms`, `902 ms`.
    var milliseconds: String {
        let hundredths = nanoseconds / 10_000
        let kept = hundredths < 1_000 ? 2 : hundredths < 10_000 ? 1 : 0
        let decimals = String(hundredths % 100 + 100).dropFirst().prefix(kept)
        return "\(hundredths / 100)\(kept > 0 ? "." : "")\(decimals) ms"
    }
}
