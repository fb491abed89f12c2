// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// Finds the largest packet that reaches a destination without being fragmented, and the hop behind which larger ones
/// vanish. Pure: rounds of packets in, answers in between, an outcome at the end.
///
/// A round compares a small with a full-size packet. If only the small one passes, further rounds narrow the sizes and
/// send both with small hop limits: a router reports an exhausted hop limit before it looks at the size. A last round
/// compares the two sizes at the bound again, since packets are also lost for other reasons.
struct PathMTUSearch {
    /// One echo request.
    struct Packet: Hashable {
        /// The size of the IP packet in bytes.
        let size: Int
        /// The hop limit; nil for one that reaches the destination.
        var hop: Int?
    }

    /// What came back.
    enum Answer: Hashable {
        /// The destination replied.
        case reply
        /// A router reports an exhausted hop limit.
        case exceeded(IPAddress)
        /// A router reports that the packet is too big: the kernel learns the size, so it is not a black hole.
        case tooBig
    }

    /// What the packets showed.
    enum Outcome: Hashable {
        /// Full-size packets pass, or a router reports that they are too big.
        case passes
        /// Small packets are not answered either, or the answers contradict each other.
        case unknown
        /// Packets of up to this size pass, larger ones vanish.
        case limited(PathMTULimit)
    }

    private enum Stage { case compare, narrow, verify, done }

    /// How many times each size is sent when two are compared.
    static let repetitions = 3
    /// How many sizes a round tries to narrow the bound, each twice.
    static let sizes = 4
    /// How many hops a round adds, and how many rounds add hops.
    static let (window, windows) = (8, 4)
    /// The maximum number of rounds that narrow the bound: the range shrinks to a fifth in each.
    static let narrowingRounds = 8

    private let destination: IPAddress
    private let small: Int
    private let full: Int
    private var stage = Stage.compare
    private var narrowed = 0
    private var low: Int
    private var high: Int
    private var round: [Packet] = []
    private var replies: [Int: Int] = [:]
    private var hops: [Packet: IPAddress] = [:]
    private var destinationHop: Int?
    private(set) var outcome = Outcome.unknown

    /// - Parameters:
    ///   - small: A size that every path passes.
    ///   - full: The largest size that the first link passes.
    init(destination: IPAddress, small: Int, full: Int) {
        self.destination = destination
        self.small = small
        self.full = full
        low = small
        high = full
    }

    /// Adds an answer to a packet of the current round, or a late one of an earlier round.
    mutating func add(_ answer: Answer, to packet: Packet) {
        switch answer {
        case .tooBig:
            outcome = .passes
            stage = .done
        case .reply:
            guard let hop = packet.hop else { return replies[packet.size, default: 0] += 1 }
            hops[packet] = destination
            if packet.size == small { destinationHop = min(destinationHop ?? .max, hop) }
        case .exceeded(let router):
            if packet.hop != nil { hops[packet] = router }
        }
    }

    /// Whether every packet of the round to the destination has its answer: then no answer is worth waiting for.
    var isRoundAnswered: Bool {
        Set(round).allSatisfy { packet in
            packet.hop.map { _ in hops[packet] != nil }
                ?? (replies[packet.size, default: 0] >= round.count { $0 == packet })
        }
    }

    /// Evaluates the round that has ended and returns the packets of the next one; empty at the end.
    mutating func next() -> [Packet] {
        switch stage {
        case .compare where round.isEmpty: round = guardedRound(pairs(small, full))
        case .compare: round = compared()
        case .narrow: round = afterNarrowing()
        case .verify:
            if replies[low, default: 0] >= Self.repetitions - 1, replies[high, default: 0] == 0 {
                let isLast = before?.address == destination
                outcome = .limited(PathMTULimit(largest: low, behind: behind, before: before, mayBeReturn: isLast))
            }
            stage = .done
            round = []
        case .done: round = []
        }
        return round
    }

    private mutating func guardedRound(_ packets: [Packet]) -> [Packet] {
        guard full > small else {
            stage = .done
            return []
        }
        return packets
    }

    private func pairs(_ first: Int, _ second: Int) -> [Packet] {
        (0..<Self.repetitions).flatMap { _ in [Packet(size: first), Packet(size: second)] }
    }

    private mutating func compared() -> [Packet] {
        stage = .done
        if replies[full, default: 0] > 0 { outcome = .passes }
        guard replies[full, default: 0] == 0, replies[small, default: 0] >= Self.repetitions - 1 else { return [] }
        stage = .narrow
        return narrowingRound()
    }

    private mutating func afterNarrowing() -> [Packet] {
        let tried = Set(round.lazy.filter { $0.hop == nil }.map(\.size))
        if let passed = tried.filter({ replies[$0, default: 0] > 0 }).max() { low = max(low, passed) }
        if let lost = tried.filter({ $0 > low && replies[$0, default: 0] == 0 }).min() { high = min(high, lost) }
        let packets = narrowed < Self.narrowingRounds ? narrowingRound() : []
        guard packets.isEmpty else { return packets }
        stage = .verify
        replies[low] = 0
        replies[high] = 0
        return pairs(low, high)
    }

    private mutating func narrowingRound() -> [Packet] {
        let step = Self.sizes + 1
        let sizes = Set((1...Self.sizes).map { low + (high - low) * $0 / step }).filter { low < $0 && $0 < high }
        let packets = sizes.sorted().flatMap { [Packet(size: $0), Packet(size: $0)] } + hopPackets()
        narrowed += 1
        return packets
    }

    /// The packets with small hop limits that are still unanswered; each is sent in the round that adds it and in the
    /// two that follow.
    private func hopPackets() -> [Packet] {
        let first = max(0, narrowed - 2) * Self.window + 1
        let last = min(narrowed + 1, Self.windows) * Self.window
        guard first <= last else { return [] }
        // Behind the first small reply is nothing.
        return (first...last).filter { $0 < destinationHop ?? .max }.flatMap { hop in
            [small, full].map { Packet(size: $0, hop: hop) }.filter { hops[$0] == nil }
        }
    }

    // MARK: The place

    /// The last router that a full-size packet reached.
    private var behind: TraceComparison.Position? {
        (1...Self.window * Self.windows).last { hops[Packet(size: full, hop: $0)] != nil }
            .flatMap { place($0, full) }
    }

    /// The first hop behind it that only small packets reached.
    private var before: TraceComparison.Position? {
        let first = (behind?.hop ?? 0) + 1
        return (first...Self.window * Self.windows + 1).first { hops[Packet(size: small, hop: $0)] != nil }
            .flatMap { place($0, small) }
    }

    private func place(_ hop: Int, _ size: Int) -> TraceComparison.Position? {
        hops[Packet(size: size, hop: hop)].map { TraceComparison.Position(address: $0, hop: hop) }
    }
}

/// The largest packet that passes a path, and where larger ones vanish.
package struct PathMTULimit: Sendable, Hashable {
    /// The size of the largest IP packet that arrives, in bytes.
    package let largest: Int
    /// The last router that a larger packet reached; nil when none answers one.
    package let behind: TraceComparison.Position?
    /// The first hop behind it that only small packets reached; nil when none answers.
    package let before: TraceComparison.Position?
    /// Whether larger packets reach all routers that answer, so that it may be the way back that drops the replies.
    package let mayBeReturn: Bool

    /// Creates a limit.
    package init(
        largest: Int,
        behind: TraceComparison.Position?,
        before: TraceComparison.Position?,
        mayBeReturn: Bool = false
    ) {
        self.largest = largest
        self.behind = behind
        self.before = before
        self.mayBeReturn = mayBeReturn
    }
}
