// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import NetworkPaths
import Probing
import Traffic

/// Has this machine's connections to targets observed, and decides when one is a reason to probe at once. One thread.
final class TrafficMonitor<World: ProbeEnvironment> {
    private final class Watched {
        var target: DeclaredTarget
        let port: UInt16
        /// Addresses that the last probe found.
        var probed: [IPAddress] = []
        /// nil before the first update.
        var endpoints: [TrafficEndpoint]?
        /// Failed connections and possibly failed ones are paced apart: a program that abandons attempts all the time must not delay
        /// the probe after a failure.
        var failures = HintPace()
        var possibleFailures = HintPace()
        /// Whether the last probe failed, and whether the target counted as up after it.
        var verdict = (isFailure: false, isHealthy: true)

        init(target: DeclaredTarget, port: UInt16) {
            self.target = target
            self.port = port
        }
    }

    /// How many addresses of a target are watched.
    private static var addressLimit: Int { 64 }

    /// The least time between two looks for connections that hang, in nanoseconds: each passes the kernel's whole connection table.
    private static var hangingInterval: UInt64 { 100_000_000 }

    private let world: World
    private let registry: Registry
    private var watched: [UInt64: Watched] = [:]
    private var nextHanging: UInt64 = 0
    /// Bounds the targets of API clients: without it, one could find out about connections to any address.
    var policy: TargetPolicy? {
        didSet {
            guard policy != oldValue else { return }
            for ordinal in Array(watched.keys) { update(ordinal) }
        }
    }

    init(world: World, registry: Registry) {
        self.world = world
        self.registry = registry
    }

    /// Begins to watch a declared target, if its port is known. What is known of its connections stays where only its name, group or
    /// the like is another.
    func watch(_ target: DeclaredTarget) {
        guard world.traffic != nil, let port = target.settings.connectionPort else { return forget(target.ordinal) }
        if let entry = watched[target.ordinal], entry.target.settings.probe == target.settings.probe,
            entry.target.settings.request == target.settings.request, entry.port == port
        {
            entry.target = target
        } else {
            forget(target.ordinal)
            watched[target.ordinal] = Watched(target: target, port: port)
        }
        update(target.ordinal)
    }

    func forget(_ ordinal: UInt64) {
        guard let old = watched.removeValue(forKey: ordinal) else { return }
        world.traffic?.update([old.target.settings.id: nil])
    }

    /// The addresses of a target's name may be others.
    func moved(_ ordinal: UInt64) { update(ordinal) }

    /// Takes the addresses of a probe, and its verdict on the failed connections that led to it. At the first failure, and when the
    /// target no longer counts as up, open connections that hang are counted.
    func probed(_ ordinal: UInt64, _ result: ProbeResult, _ state: TargetState?) {
        guard let entry = watched[ordinal] else { return }
        let before = entry.verdict
        let verdict = (isFailure: result.outcome == .failure, isHealthy: state?.isHealthy ?? true)
        entry.verdict = verdict
        if verdict.isFailure, !before.isFailure || (before.isHealthy && !verdict.isHealthy) { noteHanging(ordinal) }
        if verdict.isFailure {
            entry.failures.resume()
            entry.possibleFailures.resume()
        }
        let isKnown =
            result.addresses.isEmpty
            ? CollectionOfOne(result.address).elementsEqual(entry.probed)
            : result.addresses.lazy.map(\.address).elementsEqual(entry.probed)
        guard !isKnown else { return }
        let addresses = result.addresses.isEmpty ? [result.address].compactMap(\.self) : result.addresses.map(\.address)
        guard !addresses.isEmpty else { return }
        entry.probed = addresses
        update(ordinal)
    }

    private func noteHanging(_ ordinal: UInt64) {
        guard let id = watched[ordinal]?.target.settings.id, world.now() >= nextHanging else { return }
        nextHanging = world.now() + Self.hangingInterval
        world.traffic?.noteHangingConnections(of: id)
    }

    /// Whether a connection is a reason to probe at once: it failed or may have failed, the target counts as up, and the last such ones
    /// did not lead to probes that succeeded a moment ago.
    func isHint(_ change: TrafficChange, of ordinal: UInt64, interval: Duration) -> Bool {
        guard change.isFailure || change.isPossibleFailure,
            registry.target(change.target)?.state.isHealthy == true
        else { return false }
        let now = world.now()
        return change.isFailure
            ? watched[ordinal]?.failures.take(at: now, interval: interval) == true
            : watched[ordinal]?.possibleFailures.take(at: now, interval: interval) == true
    }

    /// What the connections show of a target with a probe of the kind `traffic`.
    ///
    /// - Returns: nil while fewer failures than needed follow the last success.
    func result(_ target: DeclaredTarget, _ plan: TrafficPlan) -> ProbeResult? {
        guard let standing = world.traffic?.summary(of: target.settings.id)?.standing else {
            return Self.failure(.noTraffic, "this machine's connections are not observed")
        }
        let now = world.now()
        let newest = max(standing.lastSuccess ?? 0, standing.lastFailure ?? 0)
        guard newest > 0, now - min(now, newest) < plan.maximumAge.nanoseconds else {
            return Self.failure(.noTraffic, "no connection of this machine ended in the last \(plan.maximumAge)")
        }
        guard standing.failuresInARow > 0 else {
            return ProbeResult(outcome: .success, detail: "connections of this machine succeed", duration: .zero)
        }
        guard standing.failuresInARow >= plan.fall, let ending = standing.failure else { return nil }
        let attempts = "the last \(standing.failuresInARow) connections of this machine"
        return switch ending {
        case .refused: Self.failure(.connectRefused, "\(attempts) failed, the last one was refused")
        case .timedOut: Self.failure(.timeout, "\(attempts) failed, the last one timed out")
        default: Self.failure(.timeout, "\(attempts) failed, the last one was not answered")
        }
    }

    private static func failure(_ reason: ProbeReason, _ detail: String) -> ProbeResult {
        ProbeResult(outcome: .failure, reason: reason, detail: detail, duration: .zero)
    }

    // MARK: Endpoints

    private func update(_ ordinal: UInt64) {
        guard let entry = watched[ordinal] else { return }
        let settings = entry.target.settings
        var addresses: [IPAddress] = []
        for address in settings.literalAddresses + resolved(entry.target) + entry.probed
        where !addresses.contains(address) && addresses.count < Self.addressLimit {
            if settings.isClientDeclared, let policy, policy.refusal(of: address) != nil { continue }
            addresses.append(address)
        }
        let endpoints = addresses.map { TrafficEndpoint($0, port: entry.port) }
        guard endpoints != entry.endpoints else { return }
        entry.endpoints = endpoints
        world.traffic?.update([settings.id: endpoints])
    }

    private func resolved(_ target: DeclaredTarget) -> [IPAddress] {
        guard target.settings.connectsToItsName else { return [] }
        return registry.target(target.settings.id)?.path?.resolution.addresses ?? []
    }
}

/// How often connections lead to probes that succeed: after 1, 2, 4 … seconds, up to the probe's interval. Times are nanoseconds.
private struct HintPace {
    private static let shortestHold: UInt64 = 1_000_000_000

    private var hold: UInt64 = 0
    private var heldUntil: UInt64 = 0

    /// Takes a connection that is a reason to probe.
    ///
    /// - Returns: Whether to probe: not within the hold of the last one.
    mutating func take(at now: UInt64, interval: Duration) -> Bool {
        guard now >= heldUntil else { return false }
        hold = min(max(hold * 2, Self.shortestHold), interval.nanoseconds)
        heldUntil = now + hold
        return true
    }

    /// Begins with the shortest hold again: the probe failed, so the connections were right.
    mutating func resume() {
        hold = 0
    }
}

extension TargetSettings {
    /// The TCP port of connections to the target; nil when none is known, and when a proxy is connected to instead.
    var connectionPort: UInt16? {
        switch probe?.method {
        case .traffic(let plan)?: return plan.port
        case .heartbeat?, nil: return port
        case .ask(let request)?:
            switch request.kind {
            case .tcp, .tls, .http, .grpc: return request.connectedHost == request.host ? request.kind.port : nil
            case .icmp: return port
            case .udp, .dns, .ntp: return nil
            }
        }
    }

    /// The addresses that the declaration itself has.
    fileprivate var literalAddresses: [IPAddress] {
        if case .ask(let request)? = probe?.method {
            if case .address(let address) = request.host { return [address] }
            return []
        }
        return switch request.target {
        case .address(let address, _): [address]
        case .pair(_, let remote): [remote].compactMap(\.self)
        case .name, .defaultPath: []
        }
    }

    /// Whether the connections go to the addresses of the path's name.
    fileprivate var connectsToItsName: Bool {
        guard case .name(let name) = request.target else { return false }
        guard case .ask(let request)? = probe?.method else { return true }
        return request.host == .name(name)
    }
}
