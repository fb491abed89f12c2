// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import NetworkPaths
import Probing
import Synchronization

/// The log of the default uplinks.
extension Registry {
    /// The records of all uplinks up to this moment. Any thread.
    package var uplinks: [Uplink] {
        let now = uplinkTime
        var log = state.withLock { $0.uplinks }
        log.advance(to: now)
        return log.uplinks
    }

    /// Counts the time of all uplinks, gives up those that are lost for long, and returns all. Any thread but the engine's.
    package func settleUplinks() -> [Uplink] { changeUplinks { $0.uplinks } }

    /// Adds the records of an earlier run. Any thread but the engine's.
    package func restoreUplinks(_ stored: [Uplink]) {
        let now = uplinkTime
        changeUplinks { $0.restore(stored, at: now) }
    }

    /// Takes an answer of a gateway, or its silence.
    ///
    /// - Returns: Whether the silence should be confirmed.
    func take(_ answer: GatewayAnswer, of gateway: DefaultGateway, roundTrip: Duration?) -> Bool {
        let now = uplinkTime
        return changeUplinks { $0.take(answer, of: gateway, roundTrip: roundTrip, at: now) }
    }

    /// Takes a good trace through a gateway.
    func take(_ trace: TargetTrace, behind gateway: DefaultGateway) {
        guard let hop = Uplink.Latency(firstPublicHopOf: trace, behind: gateway.address) else { return }
        changeUplinks { $0.take(hop, behind: gateway) }
    }

    /// The time by both clocks.
    var uplinkTime: UplinkTime { UplinkTime(wall: clock.now(), monotonic: timers.now()) }

    @discardableResult
    private func changeUplinks<Result: Sendable>(_ body: (inout UplinkLog) -> Result) -> Result {
        let now = uplinkTime
        let (result, isNew) = change { state in (state.changeUplinks(at: now, body), state.isEnvironmentNew) }
        if isNew { followEnvironment() }
        if published.hasCommands { notifyListeners() }
        return result
    }
}

extension Uplink.Latency {
    /// The first public address of a trace that is not the gateway, with its round trip; nil without one.
    init?(firstPublicHopOf trace: TargetTrace, behind gateway: IPAddress) {
        for hop in trace.result.hops {
            guard let address = hop.addresses.first, address != gateway, Self.isPublic(address),
                let roundTrip = hop.median
            else { continue }
            self.init(address: address, roundTrip: roundTrip, at: trace.at)
            return
        }
        return nil
    }

    /// Whether an address is not of a private, shared or local block (RFC 1918, 3927, 4193, 6598).
    private static func isPublic(_ address: IPAddress) -> Bool {
        guard !address.isLoopback, !address.isLinkLocal, !address.isMulticast, !address.isUnspecified else {
            return false
        }
        return !privateBlocks.contains { $0.contains(address) }
    }

    private static let privateBlocks = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
        .compactMap { IPPrefix($0) }
}
