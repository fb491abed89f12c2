// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// Computes the result of a run from the results of its addresses. Pure.
enum ProbeVerdict {
    /// Applies the bounds on time and certificates, and the inversion by `reachable: false`, to the result of one
    /// address.
    private static func judge(_ result: inout AddressResult, for request: ProbeRequest) {
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
            return
        }
        if result.outcome == .success,
            let fault = result.tls.flatMap({ ExpiryCheck.fault(of: $0.trust, request.expiry) })
        {
            result.outcome = .degraded
            result.reason = fault.reason
            result.detail = fault.detail
        }
        guard result.outcome == .success, let bound = request.latencyBound else { return }
        let time = result.answers.responseTime ?? result.duration
        if time > bound {
            result.outcome = .degraded
            result.reason = .tooSlow
            result.detail = "\(time.milliseconds), slower than \(bound.milliseconds)"
        }
    }

    /// - Parameters:
    ///   - lanes: the places in `all` of the results that decide, one for each lane.
    ///   - all: the results of all addresses, not judged yet.
    static func result(
        of lanes: [Int],
        all results: consuming [AddressResult],
        plan: AddressPlan,
        request: ProbeRequest,
        duration: Duration,
        resolveTime: Duration?
    ) -> ProbeResult {
        // In place, and by their places from here on: a result is a large value.
        var all = results
        for index in all.indices { judge(&all[index], for: request) }
        guard let leader = decisive(lanes, of: all, request: request) else {
            return ProbeResult(
                outcome: .failure,
                reason: .systemError,
                detail: "no address was probed",
                duration: duration
            )
        }
        let failures = lanes.filter { all[$0].outcome == .failure }
        var result = ProbeResult(
            outcome: all[leader].outcome,
            reason: all[leader].reason,
            detail: all[leader].detail,
            duration: duration,
            phases: all[leader].phases,
            address: all[leader].address,
            addresses: all,
            answers: all[leader].answers,
            tls: all[leader].tls
        )
        result.packetError = all[leader].packetError
        result.stall = all[leader].stall
        if result.outcome == .success {
            // Of several absences, take the one that proves least about the network path.
            let absences = lanes.compactMap { all[$0].outcome == .failure ? nil : all[$0].absence }
            result.absence = absences.first { $0 == .timeout } ?? absences.first { !$0.isOwnWord } ?? absences.first
        }
        // A redirect may have resolved a name as well.
        if let resolveTime { result.phases.add(resolveTime, to: .resolve) }
        if let failed = failures.first, failures.count < lanes.count, !request.expectsFailure {
            result.outcome = .degraded
            result.reason = .someAddressesFailed
            result.detail =
                "\(failures.count) of \(lanes.count) failed, \(all[failed].address): \(all[failed].detail)"
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

    private static func decisive(_ lanes: [Int], of all: [AddressResult], request: ProbeRequest) -> Int? {
        let isFailure = { all[$0].outcome == .failure }
        if request.expectsFailure {
            // An answer decides; otherwise an address that could not be probed leaves the question open.
            return lanes.first { all[$0].reason == .unexpectedlyReachable } ?? lanes.first(where: isFailure)
                ?? lanes.first
        }
        return lanes.first { all[$0].outcome == .degraded } ?? lanes.first { !isFailure($0) } ?? lanes.first
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
