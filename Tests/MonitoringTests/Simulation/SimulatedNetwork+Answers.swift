// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import Probing

@testable import Monitoring

/// Probes and traces.
extension SimulatedNetwork {
    /// What a probe comes to, and after how long.
    func answer(_ request: ProbeRequest, at time: UInt64) -> (UInt64, ProbeResult) {
        flows += 1
        guard case .address(let address) = request.host else { return (1_000_000, .failure(.invalidRequest)) }
        guard let host = hostNumbers[address], let service = service(request, host) else {
            return answer(ofGateway: address, request, at: time)
        }
        let limit = request.timeout.nanoseconds
        var found: (arrival: UInt64, fate: Fate)?
        for (number, offset) in Self.offsets(of: request).enumerated() where offset < limit {
            var packet = Packet(self, service, flow: flow(time, service), at: time + offset)
            packet.number = UInt64(number)
            if let found, found.arrival <= offset { break }
            let fate = walk(packet).fate
            guard let after = fate.duration, offset + after < limit, offset + after < found?.arrival ?? .max else {
                continue
            }
            found = (offset + after, fate)
        }
        guard let found else { return (limit, .failure(.timeout, after: request.timeout, at: address)) }
        return (found.arrival, result(of: found.fate, after: .nanoseconds(Int64(found.arrival)), at: address))
    }

    /// Another source port for each probe.
    private func flow(_ time: UInt64, _ service: Int) -> UInt64 { time / 1_000_000 * 1_000 + UInt64(service) }

    private func service(_ request: ProbeRequest, _ host: Int) -> Int? {
        var port: UInt16?
        if case .tcp(let settings) = request.kind { port = settings.port }
        return services.firstIndex { $0.host == host && $0.port == port }
    }

    /// When packets of a probe are sent, in nanoseconds: the kernel repeats those of connections.
    private static func offsets(of request: ProbeRequest) -> [UInt64] {
        if case .icmp(let settings) = request.kind {
            return (0..<settings.count).map { UInt64($0) * settings.spacing.nanoseconds }
        }
        return [0, 1_000_000_000, 3_000_000_000]
    }

    private func answer(ofGateway address: IPAddress, _ request: ProbeRequest, at time: UInt64) -> (UInt64, ProbeResult)
    {
        let stage = gateways.first { stages[$0].routers[0].addresses.values.contains(address) }
        guard let stage, fault(.deadLink, stage, 0, -1, at: time) == nil else {
            return (request.timeout.nanoseconds, .failure(.timeout, after: request.timeout, at: address))
        }
        return (1_000_000, success(after: .milliseconds(1), at: address))
    }

    private func success(after duration: Duration, at address: IPAddress) -> ProbeResult {
        ProbeResult(outcome: .success, detail: "it answers", duration: duration, address: address)
    }

    private func result(of fate: Fate, after duration: Duration, at address: IPAddress) -> ProbeResult {
        switch fate {
        case .answered: return success(after: duration, at: address)
        case .refused: return .failure(.connectRefused, after: duration, at: address)
        case .lost: return .failure(.timeout, after: duration, at: address)
        case .expired, .unreachable:
            guard let error = fate.error(peer: address) else { return .failure(.timeout, after: duration, at: address) }
            var result = ProbeResult.failure(error.reason, after: duration, at: address)
            result.packetError = error
            return result
        }
    }

    /// What a trace comes to, and after how long.
    func trace(_ request: TraceRequest, at time: UInt64) -> (UInt64, TraceResult) {
        flows += 1
        guard let host = hostNumbers[request.destination],
            let service = services.firstIndex(where: { $0.host == host && $0.port == request.method.port })
        else { return (1_000_000, .silent(request, behind: [])) }
        let flow = flow(time, service)
        var hops: [TraceHop] = []
        var end = TraceResult.End.silent
        var silent = 0
        var last: UInt64 = 0
        for number in 1...request.maximumHops {
            let (fate, answeredAt) = fate(of: number, service, flow, time)
            last = max(last, answeredAt)
            var address: IPAddress?
            switch fate {
            case .expired(let router, _, _): address = router
            case .answered: (address, end) = (request.destination, .reached)
            case .refused: (address, end) = (request.destination, .refused(nil))
            case .unreachable(let router, _, _, _):
                address = router
                if let error = fate.error(peer: request.destination) { end = .error(error) }
            case .lost: break
            }
            let roundTrips = fate.duration.map { [Duration.nanoseconds(Int64($0))] } ?? []
            hops.append(
                TraceHop(number: number, addresses: address.map { [$0] } ?? [], roundTrips: roundTrips, sent: 3)
            )
            silent = address == nil ? silent + 1 : 0
            if end != .silent || silent == 8 { break }
        }
        while hops.last?.isSilent == true { hops.removeLast() }
        let duration = end == .silent ? 2_000_000_000 : last
        let isOneFlow = request.method.port != nil
        return (
            duration,
            TraceResult(
                request: request,
                hops: hops,
                end: end,
                duration: .nanoseconds(Int64(duration)),
                packetsSent: hops.count,
                isOneFlow: isOneFlow
            )
        )
    }

    /// What the packets of a hop come to: the first that is answered in time, and how long after the begin of the trace.
    private func fate(of hop: Int, _ service: Int, _ flow: UInt64, _ time: UInt64) -> (Fate, UInt64) {
        for (attempt, offset) in [UInt64(0), 50_000_000, 1_100_000_000].enumerated() {
            let sent = UInt64(hop) * 20_000_000 + offset
            var packet = Packet(self, service, flow: flow, at: time + sent)
            packet.timeToLive = hop
            packet.number = UInt64(hop * 8 + attempt)
            let fate = walk(packet).fate
            if let after = fate.duration, sent + after < 2_000_000_000 { return (fate, sent + after) }
        }
        return (.lost, 0)
    }
}

extension SimulatedNetwork.Fate {
    /// The time from the packet to the reply; nil without one.
    var duration: UInt64? {
        switch self {
        case .lost: nil
        case .answered(let after), .refused(let after), .expired(_, _, let after), .unreachable(_, _, _, let after):
            after
        }
    }

    /// What the kernel reports of the packet.
    func error(peer: IPAddress) -> PacketError? {
        let isFour = peer.family == .ipv4
        let (type, code, sender, hops): (UInt8, UInt8, IPAddress, Int)
        switch self {
        case .expired(let router, let distance, _): (type, code, sender, hops) = (isFour ? 11 : 3, 0, router, distance)
        case .unreachable(let router, let isHost, let distance, _):
            (type, code, sender, hops) = (isFour ? 3 : 1, isHost ? (isFour ? 1 : 3) : 0, router, distance)
        case .lost, .answered, .refused: return nil
        }
        let message = PacketError.Message(
            family: peer.family,
            type: type,
            code: code,
            offender: sender,
            hopLimit: UInt8(64 - hops + 1)
        )
        return PacketError(
            systemError: type == 3 && code == 0 && isFour ? ENETUNREACH : EHOSTUNREACH,
            message: message,
            local: SimulatedNetwork.ownAddress,
            peer: peer
        )
    }
}
