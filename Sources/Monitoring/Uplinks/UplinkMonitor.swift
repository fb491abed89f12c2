// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Probing

/// Measures the gateways of the uplinks in use, each minute and more often while one is silent. On the probes' thread.
final class UplinkMonitor<World: ProbeEnvironment> {
    /// The time between two measurements, in nanoseconds.
    static var interval: UInt64 { 60_000_000_000 }
    /// The time after which a silence is confirmed.
    static var confirmation: UInt64 { 2_000_000_000 }
    /// The time between two measurements of a silent gateway, so that the end of its outage is known.
    static var outageInterval: UInt64 { 10_000_000_000 }

    private let registry: Registry
    private unowned let world: World
    private let gateways: GatewayMonitor<World>
    private let isEnabled: Bool
    private var measured: [DefaultGateway] = []
    private var timer: (timer: World.Timer, due: UInt64)?
    private var isClosed = false

    init(registry: Registry, world: World, gateways: GatewayMonitor<World>, isEnabled: Bool) {
        self.registry = registry
        self.world = world
        self.gateways = gateways
        self.isEnabled = isEnabled
        gateways.onAnswer = { [weak self] in self?.answered($0, $1, $2) }
    }

    func close() {
        isClosed = true
        cancel()
    }

    /// Measures these gateways from now on, and no others.
    func measure(_ gateways: [DefaultGateway]) {
        guard isEnabled, !isClosed else { return }
        measured = gateways
        cancel()
        guard !gateways.isEmpty else { return }
        look()
    }

    /// Measures all gateways now, and sets the timer.
    private func look() {
        for gateway in measured { gateways.ask(gateway.asProbed) }
        schedule(after: Self.interval)
    }

    private func answered(
        _ gateway: DefaultGateway,
        _ answer: GatewayAnswer,
        _ roundTrip: Duration?
    ) {
        guard !isClosed else { return }
        for uplink in measured where uplink.asProbed == gateway {
            let isUnconfirmed = registry.take(answer, of: uplink, roundTrip: roundTrip)
            if isUnconfirmed {
                schedule(after: Self.confirmation)
            } else if answer == .silent {
                schedule(after: Self.outageInterval)
            }
        }
    }

    /// Sets the timer, unless it is due earlier.
    private func schedule(after wait: UInt64) {
        let due = world.now() + wait
        if let timer {
            guard due < timer.due else { return }
            world.cancel(timer.timer)
        }
        let token = world.schedule(at: due) { [weak self] in
            guard let self, !isClosed else { return }
            timer = nil
            look()
        }
        timer = (token, due)
    }

    private func cancel() {
        if let timer { world.cancel(timer.timer) }
        timer = nil
    }
}

extension ScopedAddress {
    /// The host as probes ask it: through its interface only where its address needs one.
    var asProbed: ScopedAddress { ScopedAddress(address, interface: address.needsInterface ? interface : nil) }
}
