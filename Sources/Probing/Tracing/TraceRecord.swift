// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// The packets of a trace and their answers. Pure.
struct TraceRecord {
    struct Packet {
        /// The time of the trace's clock, in nanoseconds.
        let sent: UInt64
        var answer: TraceAnswer?
        /// Whether the plan stopped waiting for it; an answer may still arrive.
        var isExpired = false

        var isInFlight: Bool { answer == nil && !isExpired }
    }

    let destination: IPAddress
    /// The packets of each hop, from hop 1.
    private(set) var hops: [[Packet]] = []
    /// The first hop at which the destination answered.
    private(set) var destinationHop: Int?
    /// The largest round trip, in nanoseconds.
    private(set) var largestRoundTrip: UInt64 = 0
    /// The refusal of this machine itself.
    private(set) var ownError: PacketError?
    /// The routers of a loop, and the hop behind which it repeats.
    private(set) var loopHop: Int?
    /// The number of packets sent.
    private(set) var packetsSent = 0
    private(set) var isOneFlow = true
    /// The last hop whose TTL was exhausted at a router.
    private(set) var lastExceeded = 0
    private var unplacedDestination: TraceAnswer?
    private var firstErrorHop: Int?

    init(destination: IPAddress) {
        self.destination = destination
    }

    // MARK: Writing

    /// Adds a packet.
    mutating func send(_ probe: TraceProbe, at time: UInt64) {
        while hops.count < probe.hop { hops.append([]) }
        hops[probe.hop - 1].append(Packet(sent: time))
        packetsSent += 1
    }

    /// Stops waiting for a packet.
    mutating func expire(_ probe: TraceProbe) {
        guard packet(probe) != nil else { return }
        hops[probe.hop - 1][probe.attempt - 1].isExpired = true
    }

    /// Adds the first answer to a packet; ignores others.
    mutating func add(_ answer: TraceAnswer, to probe: TraceProbe) {
        guard packet(probe).map({ $0.answer == nil }) ?? false else { return }
        // Linux reports its own refusals, and silent neighbours, in its own name.
        if let error = answer.packetError, answer.isOwn {
            ownError = ownError ?? error
            return
        }
        hops[probe.hop - 1][probe.attempt - 1].answer = answer
        largestRoundTrip = max(largestRoundTrip, answer.roundTrip ?? 0)
        if !answer.isOfMainFlow { isOneFlow = false }
        if answer.isTimeExceeded {
            lastExceeded = max(lastExceeded, probe.hop)
            if loopHop == nil, !RoutingLoop.find(in: path).isEmpty { loopHop = hops.count }
        } else if answer.address == destination {
            destinationHop = min(destinationHop ?? .max, probe.hop)
        } else {
            firstErrorHop = min(firstErrorHop ?? .max, probe.hop)
        }
    }

    /// Adds an answer whose packet is unknown.
    mutating func addUnplaced(_ answer: TraceAnswer) {
        guard answer.address == destination, !answer.isTimeExceeded else { return }
        unplacedDestination = unplacedDestination ?? answer
    }

    // MARK: Reading

    func packets(of hop: Int) -> [Packet] { hops.indices.contains(hop - 1) ? hops[hop - 1] : [] }

    func packet(_ probe: TraceProbe) -> Packet? {
        let packets = packets(of: probe.hop)
        return packets.indices.contains(probe.attempt - 1) ? packets[probe.attempt - 1] : nil
    }

    func isAnswered(_ hop: Int) -> Bool { packets(of: hop).contains { $0.answer != nil } }

    /// The packets in flight, by hop.
    var inFlight: [(probe: TraceProbe, sent: UInt64)] {
        hops.enumerated().flatMap { index, packets in
            packets.enumerated().compactMap { number, packet in
                packet.isInFlight ? (TraceProbe(hop: index + 1, attempt: number + 1), packet.sent) : nil
            }
        }
    }

    /// The hop at which a router refused the packets; nil when packets went further.
    var errorHop: Int? { firstErrorHop.flatMap { $0 > lastExceeded ? $0 : nil } }

    /// The hop behind which no packet is useful; nil while that is unknown.
    var endHop: Int? { destinationHop ?? errorHop ?? loopHop }

    /// The number of answers of the destination, and of packets in flight that will reach it.
    var destinationPackets: Int {
        guard let destinationHop else { return 0 }
        return hops[(destinationHop - 1)...].joined().count { $0.isInFlight || $0.answer?.address == destination }
    }

    /// The first router of each hop.
    private var path: [IPAddress?] {
        hops.map { packets in packets.lazy.compactMap(\.answer).first?.address }
    }

    // MARK: The result

    /// What became of the packets.
    var end: TraceResult.End {
        if let answer = destinationAnswer {
            switch answer.kind {
            case .reply: return .reached
            case .reset: return .refused(nil)
            case .error(let error): return .refused(error)
            }
        }
        if let ownError { return .error(ownError) }
        let error = errorHop.flatMap { hop in packets(of: hop).lazy.compactMap(\.answer?.packetError).first }
        return error.map(TraceResult.End.error) ?? .silent
    }

    /// The destination's answer; a reply counts more than a refusal.
    private var destinationAnswer: TraceAnswer? {
        guard let destinationHop else { return unplacedDestination }
        let answers = hops[(destinationHop - 1)...].joined().compactMap(\.answer)
            .filter { $0.address == destination && !$0.isTimeExceeded }
        return answers.first { $0.kind == .reply } ?? answers.first
    }

    /// The hops of the result.
    var resultHops: [TraceHop] {
        let last = endHop ?? lastExceeded
        var result = (1...max(1, last)).map(hop)
        if let destinationHop { result[destinationHop - 1] = destinationResult(destinationHop) }
        while let hop = result.last {
            // The error of a router that is the hop before already: it refused to forward what it did not refuse to
            // receive.
            let isRepeated =
                destinationHop == nil && errorHop == hop.number && result.count > 1 && !hop.isSilent
                && hop.addresses.allSatisfy(result[result.count - 2].addresses.contains)
            guard hop.isSilent || isRepeated else { break }
            result.removeLast()
        }
        return result
    }

    private func hop(_ number: Int) -> TraceHop { hop(number, packets(of: number)) }

    /// The destination's hop: also the answers to packets with a larger TTL, which reached it like the others.
    private func destinationResult(_ number: Int) -> TraceHop {
        let beyond = hops[number...].joined().filter { $0.answer?.address == destination }
        return hop(number, packets(of: number) + beyond)
    }

    private func hop(_ number: Int, _ packets: [Packet]) -> TraceHop {
        let answers = packets.compactMap(\.answer)
        var addresses: [IPAddress] = []
        for answer in answers where !addresses.contains(answer.address) { addresses.append(answer.address) }
        return TraceHop(
            number: number,
            addresses: addresses,
            roundTrips: answers.map { .nanoseconds(Int64(clamping: $0.roundTrip ?? 0)) },
            sent: packets.count,
            icmp: answers.first?.icmp,
            labels: answers.first { !$0.labels.isEmpty }?.labels ?? []
        )
    }
}
