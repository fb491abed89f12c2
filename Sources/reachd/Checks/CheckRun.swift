// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import Monitoring
import NetworkPaths
import Probing
import Synchronization

/// One check in this process: the probe, then the path from the kernel, and a probe of the gateway if no answer came.
struct CheckRun {
    let subject: String
    let request: ProbeRequest
    /// Whether the path is traced when no answer comes.
    var tracesSilence = true

    func run() throws(CheckFailure) -> CheckOutcome {
        let result = if let result = unusable() { result } else { try SingleProbe.run(request) }
        let moment = SystemWallClock().now()
        let (path, supportsDNS) = path(to: result.address)
        // A datagram without an ICMP error: the port may be open, or the packet lost.
        let isUndecided = result.outcome == .success && result.absence != nil
        var diagnosis = try isUndecided ? nil : diagnosis(of: result, path)
        if diagnosis?.rule == .noAnswer, tracesSilence, let blackHole = try blackHole(result, path) {
            diagnosis = Diagnosis(blackHole)
        }
        let told = result.absence.map { result.withoutProof(of: $0, result.detail) } ?? result
        return CheckOutcome(
            subject: subject,
            request: request,
            report: ProbeReport(told, at: moment, lag: .zero, diagnosis: diagnosis),
            path: path,
            supportsDNS: supportsDNS,
            isUndecided: isUndecided,
            trace: diagnosis?.rule == .noAnswer && tracesSilence ? trace(result, path) : nil
        )
    }

    /// Traces the path to an address that does not respond, unless it is on the link.
    private func trace(_ result: ProbeResult, _ path: NetworkPath?) -> TraceResult? {
        guard path?.gateway != nil, let address = result.address, let trace = request.trace(to: address) else {
            return nil
        }
        // The check has its result; a trace that cannot run only says less.
        return try? SingleTrace.run(.address(address), .any, trace)
    }

    /// Looks for a path MTU black hole where an established connection stalled, unless the address is on the link.
    private func blackHole(
        _ result: ProbeResult,
        _ path: NetworkPath?
    ) throws(CheckFailure) -> PathMTUBlackHole? {
        guard path?.gateway != nil, let address = result.address, result.stall?.maySuggestBlackHole == true else {
            return nil
        }
        return try SingleInvestigation.run(request, to: address)
    }

    /// The result for an address to which the kernel has no usable path; nil for others and for names. A packet by a link without
    /// carrier is lost, which costs seconds.
    private func unusable() -> ProbeResult? {
        guard case .address(let address) = request.host, let path = path(to: address).0,
            path.reachability == .notReachable, let reason = path.unsatisfiedReason, reason != .kernelRefused
        else { return nil }
        let isLinkDown = reason == .linkDown || reason == .noCarrier || reason == .loopbackDown
        return ProbeResult(
            outcome: .failure,
            reason: isLinkDown ? .networkDown : .networkUnreachable,
            detail: PathFormatter.reason(reason.rawValue),
            duration: .zero,
            address: address
        )
    }

    private func path(to address: IPAddress?) -> (NetworkPath?, supportsDNS: Bool) {
        let target: PathTarget
        if let address {
            target = .address(address, interface: request.interface)
        } else if case .address(let address) = request.connectedHost {
            target = .address(address, interface: request.interface)
        } else {
            target = .defaultPath()
        }
        // Without netlink nothing is known of paths; the probe's word remains.
        guard let engine = try? PathEngine(options: PathEngineOptions(), observer: DiscardingObserver()) else {
            return (nil, false)
        }
        defer { engine.close() }
        return (engine.evaluate([PathRequest(target)]).first, engine.environment.supportsDNS)
    }

    private func diagnosis(of result: ProbeResult, _ path: NetworkPath?) throws(CheckFailure) -> Diagnosis? {
        guard result.outcome != .success, let reason = result.reason else { return nil }
        var facts = CauseFacts(failure: result.failure)
        if let path, path.reachability == .notReachable { facts.unsatisfiedReason = path.unsatisfiedReason ?? .noRoute }
        let offender = Offender(result.packetError, gateway: path?.gateway)
        facts.offender = offender?.role
        let isUnderstood = offender != nil && offender?.role != .thisMachine
        facts.gateway = isUnderstood ? .unknown : try gateway(of: path, facts.failure)
        let rule = CauseDecision(facts).rule
        // So does a host look that is switched off; of a router in the middle that would need the route.
        let isAbsent = reason == .hostUnreachable && (rule == .gatewayRejects || rule == .routerRejects)
        return Diagnosis(reason: reason, detail: result.detail, rule: isAbsent ? .hostAbsent : rule, offender: offender)
    }

    /// Probes the gateway if no answer came: a fault of the local network shows there first.
    private func gateway(
        of path: NetworkPath?,
        _ failure: ProbeFailure
    ) throws(CheckFailure) -> GatewayAnswer {
        guard failure == .silent || failure == .resolution, let path else { return .unknown }
        guard let gateway = path.gateway else { return .notNeeded }
        let request = ProbeRequest(
            host: .address(gateway),
            kind: .icmp(ICMPProbeSettings(count: 2)),
            // As long as the kernel looks for a neighbour before it says that there is none.
            timeout: .milliseconds(3_500),
            interface: path.interface?.name
        )
        let result = try SingleProbe.run(request)
        switch result.reason {
        // Some gateways never answer echo requests: a timeout alone shows nothing.
        case .hostUnreachable, .networkUnreachable, .networkDown: return .silent
        default: return result.outcome == .failure ? .unknown : .answers
        }
    }

    private final class DiscardingObserver: PathEngineObserver {
        func pathsDidChange(_ updates: [PathUpdate]) {}
        func environmentDidChange(_ environment: NetworkEnvironment) {}
    }
}
