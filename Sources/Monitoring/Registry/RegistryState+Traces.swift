// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Diagnosis
import LinuxIO
import NetworkPaths
import Probing

/// What traces show, and what is read again for it.
extension RegistryState {
    /// The time for which a path MTU black hole explains connections that stall: beyond the next investigation
    /// (``TraceLimits/sameTarget``), so that the verdict does not change in between.
    private static var blackHoleAge: UInt64 { 900_000_000_000 }

    /// Takes a trace.
    ///
    /// - Returns: The targets that have to be probed again.
    mutating func take(_ trace: TargetTrace, of id: UInt64, began start: UInt64, at now: Timestamp) -> [UInt64] {
        guard let record = table.position(ordinal: id).flatMap({ table.places[$0].record }),
            let gateway = record.path?.gateway
        else { return [] }
        let result = trace.result
        let hops = result.hops.compactMap { hop in
            hop.isSilent ? nil : RouteHop(hop.number, hop.addresses)
        }
        let destination = result.request.destination
        let end = start + result.duration.nanoseconds
        switch result.end {
        case .fault: return []
        case .silent where result.isCutOff: return []
        case .reached, .refused:
            return restart(
                ways.learn(
                    id,
                    hops.filter { !$0.addresses.contains(destination) },
                    length: hops.first { $0.addresses.contains(destination) }?.hop,
                    at: start,
                    until: end,
                    trace.at.milliseconds
                )
            )
        case .error(let error):
            guard let offender = Offender(error, gateway: gateway), let address = offender.address,
                let report = RouterReport(error.reason), let rule = offender.role.rule
            else { return [] }
            let diagnosis = Diagnosis(reason: error.reason, detail: result.detail, rule: rule, offender: offender)
            let hop = offender.role == .gateway ? 1 : result.hops.last { $0.addresses.contains(address) }?.number
            let isDown = isDownByItself(id)
            let found = ways.reported(
                report,
                id,
                by: address,
                hop: hop,
                from: start,
                at: end,
                isDown: isDown,
                diagnosis
            )
            let again = restart(found.again)
            reread(ways.companions(of: id) + [id], end, at: now)
            return again
        case .silent:
            var loop: Diagnosis?
            if !result.loop.isEmpty {
                // A router of the loop answers several times.
                let end = result.lastAnswering?.addresses.first.flatMap { address in
                    result.hops.first { $0.addresses.contains(address) }
                        .map { PathEnd(lastHop: .init(address: address, hop: $0.number)) }
                }
                loop = Diagnosis(reason: .ttlExceeded, detail: result.detail, rule: .pathBroken, pathEnd: end)
            }
            let drop = hops.isEmpty ? Self.drop(at: gateway) : nil
            let found = ways.traced(id, hops, at: start, until: end, loop: loop, drop: drop)
            reread(found.read, end, at: now)
            return restart(found.again)
        }
    }

    /// The reason where not even the gateway answers a trace.
    private static func drop(at gateway: IPAddress) -> Diagnosis {
        Diagnosis(
            reason: .timeout,
            detail:
                "not even the gateway \(gateway) answers a trace, as it did before: it drops the packets, as without a route to them, or a "
                + "firewall of this machine does",
            rule: .ownFirewall
        )
    }

    /// Reads failing targets again, after something new became known of their way.
    mutating func reread(_ ids: [UInt64], _ moment: UInt64, at now: Timestamp) {
        for id in ids {
            guard let position = table.position(ordinal: id), let before = judges[id]?.lastReport?.diagnosis,
                before.isReadingOfSilence
            else { continue }
            let found = reading(of: id, for: before, at: moment)
            guard found != before, judges[id]?.explain(found) == true else { continue }
            settle(at: position, at: now)
        }
    }

    /// Reads targets again if a fault was found by the result of another one.
    ///
    /// - Parameter known: How many faults were found before.
    /// - Returns: The targets that have to be probed, because it may concern them.
    mutating func follow(_ known: Int, of id: UInt64, _ moment: UInt64, at now: Timestamp) -> [UInt64] {
        guard ways.faultCount != known else { return [] }
        reread(ways.companions(of: id).filter { $0 != id }, moment, at: now)
        return ways.unasked(behind: id, isConfirmed: false, at: moment)
    }

    /// Has a path MTU black hole explain the stalls of a target from now on.
    mutating func take(blackHole diagnosis: Diagnosis, of id: UInt64, at moment: UInt64) {
        ways.note(diagnosis, of: id, by: nil, until: moment + Self.blackHoleAge)
    }
}
