// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import NetworkPaths
import Probing

/// Investigates established connections that stalled: whether a path MTU black hole explains it. On the probes' thread.
///
/// Limited like traces (``TraceLimits``): at most 8 at once, one in 30 s for each gateway and prefix unless a target there answered since,
/// and one in five minutes for each target, also while the black hole is known, which confirms it again.
final class PathMTUMonitor<World: ProbeEnvironment> {
    private unowned let world: World
    private let isAutomatic: Bool
    private var limits = TraceLimits()
    private var isClosed = false
    /// When the first of a target's present failures was handled.
    private var failingSince: [UInt64: UInt64] = [:]
    /// When a target of a place answered again: what stalls then is a new question.
    private var answeredAt: [TraceLimits.Place: UInt64] = [:]

    /// - Parameter isAutomatic: Whether investigations start by themselves, like traces.
    init(world: World, isAutomatic: Bool) {
        self.world = world
        self.isAutomatic = isAutomatic
    }

    func close() { isClosed = true }

    func forget(_ ordinal: UInt64) { failingSince[ordinal] = nil }

    /// Handles the result of a probe.
    ///
    /// - Parameters:
    ///   - rule: The rule that decided the cause.
    ///   - found: Receives the outcome of an investigation; not called without one.
    func probed(
        _ target: DeclaredTarget,
        _ request: ProbeRequest,
        _ result: ProbeResult,
        path: NetworkPath?,
        rule: CauseRule?,
        under policy: TargetPolicy?,
        found: @escaping (PathMTUBlackHole?) -> Void
    ) {
        if result.outcome != .failure, failingSince.removeValue(forKey: target.ordinal) != nil,
            let address = result.address
        {
            if answeredAt.count >= 1_024 { answeredAt = [:] }
            answeredAt[TraceLimits.Place(gateway: path?.gateway, destination: address)] = world.now()
        }
        // A path on the link has no routers.
        guard isAutomatic, !isClosed, !target.settings.hidesAddress, result.stall?.maySuggestBlackHole == true,
            rule == .noAnswer || rule == .mtuBlackHole, let address = result.address, let gateway = path?.gateway
        else { return }
        let place = TraceLimits.Place(gateway: gateway, destination: address)
        let now = world.now()
        let since = failingSince[target.ordinal] ?? now
        failingSince[target.ordinal] = since
        guard limits.startFailed(place, since: since, provenAt: answeredAt[place] ?? 0, at: now) else { return }
        world.investigate(request, to: address, under: policy) { [weak self] blackHole in
            guard let self, !isClosed else { return }
            limits.end()
            found(blackHole)
        }
    }
}
