// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Probing
import Traffic

/// What people, heartbeats and this machine's connections want of probes.
extension ProbeDriver {
    // MARK: What people want

    /// Traces the path to a target's address now, like its probe's packets.
    ///
    /// - Parameter completion: gets the trace; nil when the target has no probe that can be traced, or no known address, or
    ///   when the policy denies it.
    func trace(_ ordinal: UInt64, _ completion: @escaping (TargetTrace?) -> Void) {
        guard let entry = entries[ordinal], !isClosed, case .ask(let request) = entry.plan.method,
            let address = entry.address(path: registry.target(entry.target.settings.id)?.path),
            let trace = request.trace(to: address), isAllowed(entry, request, address)
        else { return completion(nil) }
        traces.trace(ordinal, trace, nil) { completion($0) }
    }

    /// Probes now, or waits for the probe that runs already; also while the probe rests.
    ///
    /// - Parameter completion: gets the report; nil when there is no such probe, or it was cancelled.
    func probe(_ ordinal: UInt64, _ completion: @escaping (ProbeReport?) -> Void) {
        guard let entry = entries[ordinal], !entry.plan.isPassive, !isClosed else { return completion(nil) }
        entry.waiting.append(completion)
        if entry.run == nil { plan(entry, due: world.now()) }
        turn()
    }

    /// Whether the policy for targets of API clients allows packets to an address.
    private func isAllowed(_ entry: Entry, _ request: ProbeRequest, _ address: IPAddress) -> Bool {
        guard entry.target.settings.isClientDeclared, let policy else { return true }
        return policy.refusal(of: request) == nil && policy.refusal(of: address) == nil
    }

    /// Takes a heartbeat, and of one that came a while ago what follows from the silence since.
    ///
    /// - Parameters:
    ///   - age: how long ago it came.
    ///   - completion: gets the report; nil when the target expects none, or for a heartbeat that is older than another one.
    func heartbeat(
        _ ordinal: UInt64,
        _ result: ProbeResult,
        age: Duration = .zero,
        _ completion: @escaping (ProbeReport?) -> Void
    ) {
        guard let entry = entries[ordinal], entry.isHeartbeat, !isClosed,
            let silence = entry.takeHeartbeat(age: age, at: world.now())
        else { return completion(nil) }
        entry.lag = 0
        entry.waiting.append(completion)
        // A state that ended before this node knew of it has no turn here.
        if result.outcome == .failure || silence.missed < entry.plan.verdict.fall {
            conclude(entry, result, gateway: .unknown)
        }
        for _ in 0..<silence.missed { conclude(entry, entry.missedHeartbeat, gateway: .unknown) }
        if let due = silence.due, !entry.isResting { plan(entry, due: due) }
        turn()
    }

    // MARK: What this machine's connections show

    /// Takes a connection to a target that failed or may have failed, or the first that succeeded after one: probes at once when it
    /// is a reason to, and evaluates a target that is not probed.
    func connectionsChanged(_ change: TrafficChange) {
        guard !isClosed, let ordinal = registry.target(change.target)?.target?.ordinal, let entry = entries[ordinal],
            !entry.isResting, entry.run == nil
        else { return }
        switch entry.plan.method {
        case .heartbeat: return
        case .traffic:
            guard !change.isPossibleFailure, change.isFailure || registry.target(change.target)?.state != .up
            else { return }
        case .ask:
            guard traffic.isHint(change, of: ordinal, interval: entry.plan.verdict.interval) else { return }
            counts.hinted += 1
        }
        plan(entry, due: world.now())
        turn()
    }
}
