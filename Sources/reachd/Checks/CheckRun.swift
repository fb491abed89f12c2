// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import NetworkPaths
import Probing
import Synchronization

/// One check in this process: the probe, then the path from the kernel, and a probe of the gateway if no answer came.
struct CheckRun {
    let subject: String
    let request: ProbeRequest

    func run() throws(SingleProbe.Failure) -> CheckOutcome {
        let result = try SingleProbe.run(request)
        let moment = SystemWallClock().now()
        let (path, supportsDNS) = path(to: result)
        // A datagram without an ICMP error: the port may be open, or the packet lost.
        let isUndecided = result.outcome == .success && result.absence != nil
        let diagnosis = try isUndecided ? nil : diagnosis(of: result, path)
        let told = result.absence.map { result.withoutProof(of: $0, result.detail) } ?? result
        return CheckOutcome(
            subject: subject,
            request: request,
            report: ProbeReport(told, at: moment, lag: .zero, diagnosis: diagnosis),
            path: path,
            supportsDNS: supportsDNS,
            isUndecided: isUndecided
        )
    }

    private func path(to result: ProbeResult) -> (NetworkPath?, supportsDNS: Bool) {
        let target: PathTarget
        if let address = result.address {
            target = .address(address, interface: request.interface)
        } else if case .address(let address) = request.host {
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

    private func diagnosis(of result: ProbeResult, _ path: NetworkPath?) throws(SingleProbe.Failure) -> Diagnosis? {
        guard result.outcome != .success, let reason = result.reason else { return nil }
        var facts = CauseFacts(failure: result.failure)
        if let path, path.reachability == .notReachable { facts.unsatisfiedReason = path.unsatisfiedReason ?? .noRoute }
        facts.gateway = try gateway(of: path, facts.failure)
        return Diagnosis(reason: reason, detail: result.detail, rule: CauseDecision(facts).rule)
    }

    /// Probes the gateway if no answer came: a fault of the local network shows there first.
    private func gateway(
        of path: NetworkPath?,
        _ failure: ProbeFailure
    ) throws(SingleProbe.Failure) -> GatewayAnswer {
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
