// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis
import NetworkPaths
import Probing

/// Probes gateways when a target behind one does not answer.
///
/// A gateway that never answered an echo request may be one that never does: only when nobody is at its address on the link
/// (the kernel says "host unreachable"), or when it has answered before, does its silence mean anything.
///
/// Where echo requests are not permitted, datagrams to a port that routers do not use take their place: a gateway answers them
/// with "port unreachable", which needs no privilege.
final class GatewayMonitor<World: ProbeEnvironment> {
    private struct State {
        var answer = GatewayAnswer.unknown
        var hasAnswered = false
        var askedAt: UInt64 = 0
        /// The first request that it answered after it was silent.
        var returnedAt: UInt64 = 0
        var run: World.Run?
        /// Whether packets passed it since the present request began.
        var hasPassed = false
        /// Whether packets ever passed it.
        var hasForwarded = false
        var waiting: [(since: UInt64, completion: (GatewayAnswer) -> Void)] = []
    }

    /// More gateways than this are a sign of something else; the oldest answers go.
    private static var capacity: Int { 64 }

    /// Whether an incident of the run before says that a gateway does not answer.
    var wasSilent: (Gateway) -> Bool = { _ in false }
    /// Called with each answer, and with the round trip if there was one.
    var onAnswer: (Gateway, GatewayAnswer, Duration?) -> Void = { _, _, _ in }
    /// Called when a gateway is silent that was not.
    var onSilence: (Gateway) -> Void = { _ in }
    /// Called when a gateway answers that was silent.
    var onReturn: (Gateway) -> Void = { _ in }

    private unowned let world: World
    private var states: [Gateway: State] = [:]
    /// Whether echo requests turned out not to be permitted.
    private var usesDatagrams = false

    init(world: World) {
        self.world = world
    }

    /// Asks a gateway that never answered or was silent, since packets pass it: its silence will mean something later. One that is being
    /// asked and does not answer, as before this machine's address is usable, is asked once more.
    func learn(_ gateway: Gateway) {
        let state = states[gateway]
        if state?.run != nil {
            states[gateway]?.hasPassed = true
        } else if state?.hasAnswered != true || state?.answer == .silent {
            ask(gateway)
        }
        states[gateway]?.hasForwarded = true
    }

    /// Calls back with what a gateway does, at once when that is known, else after some seconds at most.
    ///
    /// - Parameter since: a moment; an answer to an earlier request is not evidence for a later failure.
    func query(_ gateway: Gateway, since: UInt64, _ completion: @escaping (GatewayAnswer) -> Void) {
        if let state = states[gateway], state.run == nil, state.askedAt >= since { return completion(state.answer) }
        states[gateway, default: State()].waiting.append((since, completion))
        ask(gateway)
    }

    /// Whether a gateway was silent after a time and answers again.
    func isBack(_ gateway: Gateway, since start: UInt64) -> Bool { start < states[gateway]?.returnedAt ?? 0 }

    func close() {
        for state in states.values { state.run.map(world.end) }
        states = [:]
    }

    /// Asks a gateway, unless it is being asked.
    func ask(_ gateway: Gateway) {
        guard states[gateway]?.run == nil else { return }
        if states.count >= Self.capacity, states[gateway] == nil {
            let oldest = states.filter { $0.value.run == nil }.min { $0.value.askedAt < $1.value.askedAt }
            if let oldest { states[oldest.key] = nil }
        }
        let request = ProbeRequest(
            host: .address(gateway.address),
            kind: usesDatagrams
                ? .udp(UDPProbeSettings(port: Self.unusedPort, payload: []))
                : .icmp(ICMPProbeSettings(count: 2, spacing: .milliseconds(200))),
            timeout: .seconds(1),
            interface: gateway.interface
        )
        states[gateway, default: State()].askedAt = world.now()
        states[gateway]?.run = world.start(request, under: nil) { [weak self] in self?.answered(gateway, $0) }
    }

    /// The first port of traceroute(8).
    private static var unusedPort: UInt16 { 33_434 }

    /// Whether the gateway answered: to a datagram also by saying that its port is closed.
    private func isAnswer(_ result: ProbeResult) -> Bool {
        result.outcome != .failure || usesDatagrams && result.reason == .connectRefused
    }

    private static func isSilent(_ reason: ProbeReason?, hasAnswered: Bool) -> Bool {
        switch reason {
        // No neighbour has the address, or the gateway, which is on-link, cannot be sent to because the link is going down.
        case .hostUnreachable, .networkUnreachable, .networkDown: true
        case .timeout: hasAnswered
        default: false
        }
    }

    private func answered(_ gateway: Gateway, _ result: ProbeResult) {
        guard var state = states[gateway] else { return }
        state.run = nil
        if result.reason == .icmpNotPermitted, !usesDatagrams {
            usesDatagrams = true
            states[gateway] = state
            return ask(gateway)
        }
        let isAnswered = isAnswer(result)
        let before = state.answer
        let isReturn = isAnswered && before == .silent
        if isAnswered {
            state.hasAnswered = true
            if isReturn { state.returnedAt = state.askedAt }
            state.answer = .answers
        } else {
            // Of the run before the incident tells, until packets pass the gateway.
            let hasAnswered = state.hasAnswered || !state.hasForwarded && wasSilent(gateway)
            state.answer = Self.isSilent(result.reason, hasAnswered: hasAnswered) ? .silent : .unknown
        }
        let answered = state.waiting.filter { $0.since <= state.askedAt }
        state.waiting.removeAll { $0.since <= state.askedAt }
        let isAskedAgain = !state.waiting.isEmpty || state.hasPassed && !isAnswered
        state.hasPassed = false
        states[gateway] = state
        onAnswer(gateway, state.answer, isAnswered ? result.responseTime : nil)
        if isAskedAgain { ask(gateway) }
        for waiting in answered { waiting.completion(state.answer) }
        if isReturn { onReturn(gateway) }
        if state.answer == .silent, before != .silent { onSilence(gateway) }
    }
}

/// What the gateway of a target's path does.
package enum GatewayAnswer: Sendable, Hashable, CaseIterable {
    /// The path has none: the target is on the link, or this machine.
    case notNeeded
    /// It was not probed.
    case unknown
    /// It answers.
    case answers
    /// It does not answer.
    case silent
}
