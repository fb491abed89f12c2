// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import NetworkPaths
import Probing

/// Investigates established connections that stalled: whether a path MTU black hole explains it. On the probes' thread.
///
/// A black hole between two routers explains all targets of its ``TraceLimits/Place`` that stall; one that may be the target's own
/// link explains that target alone. At most 8 investigations run at once, two behind one gateway; others wait for their turn. Unless
/// a black hole is known that explains it, a place is investigated once in 30 s, at once if a target there answered since, and a
/// target once in five minutes. A known black hole is confirmed again every five minutes.
final class PathMTUMonitor<World: ProbeEnvironment> {
    /// The present failures of a target.
    private struct Failure {
        let since: UInt64
        let place: TraceLimits.Place
        /// The path MTU of the newest result; nil when that is not a stall.
        var pathMTU: Int?
        var investigatedAt: UInt64?
        var isExplained = false
    }

    /// What is known of a place.
    private struct Finding {
        /// When the last investigation began; nil when it speaks for one target alone.
        var began: UInt64?
        /// The black hole that explains all targets that stall there.
        var blackHole: PathMTUBlackHole?
        /// When a target that failed there answered again: what stalls then is a new question.
        var answeredAt: UInt64 = 0
    }

    private unowned let world: World
    private let isAutomatic: Bool
    /// Receives what explains a target; nil when an investigation of it found nothing.
    private let found: (UInt64, PathMTUBlackHole?) -> Void
    /// Called when no investigation of a place runs or waits any more.
    private let ended: (TraceLimits.Place) -> Void
    private var isClosed = false
    private var failures: [UInt64: Failure] = [:]
    private var findings: [TraceLimits.Place: Finding] = [:]
    private var running: Set<TraceLimits.Place> = []
    private var waiting: [(place: TraceLimits.Place, ordinal: UInt64, start: () -> Void)] = []

    /// - Parameter isAutomatic: Whether investigations start by themselves, like traces.
    init(
        world: World,
        isAutomatic: Bool,
        found: @escaping (UInt64, PathMTUBlackHole?) -> Void,
        ended: @escaping (TraceLimits.Place) -> Void
    ) {
        self.world = world
        self.isAutomatic = isAutomatic
        self.found = found
        self.ended = ended
    }

    func close() {
        isClosed = true
        waiting = []
    }

    func forget(_ ordinal: UInt64) { failures[ordinal] = nil }

    /// Handles a result that was evaluated.
    func probed(_ ordinal: UInt64, _ result: ProbeResult) {
        guard let failure = failures[ordinal] else { return }
        if result.outcome != .failure {
            failures[ordinal] = nil
            // Others may still stall, and keep their explanation until they are investigated themselves.
            findings[failure.place] = Finding(began: findings[failure.place]?.began, answeredAt: world.now())
        } else if result.stall?.maySuggestBlackHole != true {
            failures[ordinal]?.pathMTU = nil
            failures[ordinal]?.isExplained = false
        }
    }

    /// Handles the result of a connection that stalled, before it is evaluated.
    ///
    /// - Returns: The place while an investigation that may explain the target runs or waits.
    func stalled(
        _ target: DeclaredTarget,
        _ request: ProbeRequest,
        _ result: ProbeResult,
        path: NetworkPath?,
        under policy: TargetPolicy?
    ) -> TraceLimits.Place? {
        // A path on the link has no routers.
        guard isAutomatic, !isClosed, !target.settings.hidesAddress, let stall = result.stall,
            let address = result.address, let gateway = path?.gateway
        else { return nil }
        let ordinal = target.ordinal
        let place = TraceLimits.Place(gateway: gateway, destination: address)
        let known = failures[ordinal].flatMap { $0.place == place ? $0 : nil }
        failures[ordinal] = known ?? Failure(since: world.now(), place: place)
        failures[ordinal]?.pathMTU = stall.pathMTU
        if let blackHole = findings[place]?.blackHole { explain(ordinal, at: place, by: blackHole) }
        if !running.contains(place), !waiting.contains(where: { $0.place == place }) {
            guard isDue(ordinal, at: place) else { return nil }
            waiting.append(
                (place, ordinal, { [unowned self] in investigate(ordinal, at: place, request, address, policy) })
            )
            startWaiting()
        }
        return failures[ordinal]?.isExplained == true ? nil : place
    }

    private func isDue(_ ordinal: UInt64, at place: TraceLimits.Place) -> Bool {
        guard let failure = failures[ordinal] else { return false }
        let now = world.now()
        if let own = failure.investigatedAt, now < own + TraceLimits.sameTarget { return false }
        guard let finding = findings[place], let last = finding.began else { return true }
        if failure.isExplained { return now >= last + TraceLimits.sameTarget }
        return now >= last + TraceLimits.samePlace || failure.since > last && finding.answeredAt > last
    }

    private func startWaiting() {
        // Some answered meanwhile.
        let over = waiting.filter { failures[$0.ordinal]?.place != $0.place }.map(\.place)
        waiting.removeAll { over.contains($0.place) }
        waiting.removeAll { turn in
            guard running.count < TraceLimits.concurrent,
                running.count(where: { $0.gateway == turn.place.gateway }) < TraceLimits.concurrentFailed
            else { return false }
            turn.start()
            return true
        }
        over.forEach(ended)
    }

    private func investigate(
        _ ordinal: UInt64,
        at place: TraceLimits.Place,
        _ request: ProbeRequest,
        _ address: IPAddress,
        _ policy: TargetPolicy?
    ) {
        let now = world.now()
        if findings.count >= 1_024 { findings = [:] }
        findings[place, default: Finding()].began = now
        failures[ordinal]?.investigatedAt = now
        running.insert(place)
        world.investigate(request, to: address, under: policy) { [weak self] blackHole in
            guard let self, !isClosed else { return }
            running.remove(place)
            take(blackHole, of: ordinal, at: place)
            startWaiting()
            ended(place)
        }
    }

    private func take(_ blackHole: PathMTUBlackHole?, of ordinal: UInt64, at place: TraceLimits.Place) {
        // It answered meanwhile, or is gone, or takes another way.
        guard failures[ordinal]?.place == place else { return }
        findings[place]?.blackHole = blackHole.flatMap { $0.isBetweenRouters ? $0 : nil }
        failures[ordinal]?.isExplained = blackHole != nil
        found(ordinal, blackHole)
        guard let blackHole else { return }
        guard blackHole.isBetweenRouters else {
            findings[place]?.began = nil
            return
        }
        for other in failures.filter({ $0.key != ordinal && $0.value.place == place }).keys.sorted() {
            failures[other]?.isExplained = false
            explain(other, at: place, by: blackHole)
        }
    }

    /// Has a black hole of the way explain a target whose packets are larger than what passes.
    private func explain(_ ordinal: UInt64, at place: TraceLimits.Place, by blackHole: PathMTUBlackHole) {
        guard let failure = failures[ordinal], !failure.isExplained, let pathMTU = failure.pathMTU,
            pathMTU > blackHole.limit?.largest ?? 0
        else { return }
        failures[ordinal]?.isExplained = true
        found(ordinal, blackHole)
    }
}

extension PathMTUBlackHole {
    /// Whether large packets are lost before the last router: other hosts there are concerned, too.
    fileprivate var isBetweenRouters: Bool {
        limit.map { !$0.mayBeReturn && ($0.behind ?? $0.before) != nil } == true
    }
}
