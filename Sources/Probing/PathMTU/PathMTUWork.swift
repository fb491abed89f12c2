// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// Sends the rounds of one ``PathMTUSearch`` as echo requests that no router may fragment. On the loop's thread.
final class PathMTUWork {
    /// The shortest and the longest time to wait for the answers of a round, in nanoseconds.
    static let (patience, longestPatience): (UInt64, UInt64) = (100_000_000, 400_000_000)
    /// The time between two packets of a comparison, and of a longer round, in nanoseconds.
    static let (spacing, shortSpacing): (UInt64, UInt64) = (10_000_000, 2_000_000)
    /// The hop limit of packets to the destination.
    static let hopLimit = 64

    /// Called once, at the end.
    var completion: (PathMTUSearch.Outcome) -> Void = { _ in }

    private let request: TraceRequest
    private let loop: EventLoop
    private var search: PathMTUSearch
    private var channel: EchoTraceChannel?
    private var packets: [TraceProbe: PathMTUSearch.Packet] = [:]
    private var spacing = PathMTUWork.spacing
    private var queue: ArraySlice<PathMTUSearch.Packet> = []
    private var headerSize: Int { request.destination.family == .ipv4 ? 28 : 48 }
    private var largestRoundTrip: UInt64 = 0
    private var timer: TimerToken?
    private var isOver = false

    init(_ request: TraceRequest, loop: EventLoop) {
        self.request = request
        self.loop = loop
        search = PathMTUSearch(destination: request.destination, small: 0, full: 0)
    }

    func start() {
        do throws(ProbeFault) {
            try request.check()
            let channel = try EchoTraceChannel(request, loop: loop, forbidsFragments: true)
            channel.handler = { [unowned self] answer, probe in take(answer, to: probe) }
            channel.tooBigHandler = { [unowned self] in add(.tooBig, to: $0) }
            self.channel = channel
            // Every IPv6 path passes 1,280 bytes, and every IPv4 host takes 576.
            let small = request.destination.family == .ipv4 ? 576 : 1_280
            search = PathMTUSearch(destination: request.destination, small: small, full: channel.pathMTU)
        } catch {
            return end()
        }
        nextRound()
    }

    func cancel() { end() }

    // MARK: Rounds

    private func nextRound() {
        timer = nil
        channel?.read()
        guard !isOver else { return }
        queue = search.next()[...]
        spacing = queue.count > 2 * PathMTUSearch.repetitions ? Self.shortSpacing : Self.spacing
        if queue.isEmpty { end() } else { sendNext() }
    }

    private func sendNext() {
        timer = nil
        guard let channel, let packet = queue.popFirst() else { return }
        let probe = TraceProbe(hop: packet.hop ?? Self.hopLimit, attempt: packets.count + 1)
        packets[probe] = packet
        do throws(ProbeFault) {
            try channel.send(probe, size: packet.size - headerSize)
        } catch {
            // This machine's network has changed.
            return end()
        }
        guard !isOver else { return }
        if queue.isEmpty {
            // Three round trips: the answers of distant routers come late.
            let wait = min(max(Self.patience, 3 * largestRoundTrip), Self.longestPatience)
            timer = loop.schedule(at: loop.clock.now() + wait) { [weak self] in self?.nextRound() }
        } else {
            timer = loop.schedule(at: loop.clock.now() + spacing) { [weak self] in self?.sendNext() }
        }
    }

    private func take(_ answer: TraceAnswer, to probe: TraceProbe?) {
        guard let probe else { return }
        largestRoundTrip = max(largestRoundTrip, answer.roundTrip ?? 0)
        if answer.kind == .reply {
            add(.reply, to: probe)
        } else if answer.isTimeExceeded, !answer.isOwn {
            add(.exceeded(answer.address), to: probe)
        }
    }

    private func add(_ answer: PathMTUSearch.Answer, to probe: TraceProbe) {
        guard !isOver, let packet = packets[probe] else { return }
        search.add(answer, to: packet)
        guard queue.isEmpty, search.isRoundAnswered, let timer else { return }
        loop.cancel(timer)
        self.timer = loop.schedule(at: 0) { [weak self] in self?.nextRound() }
    }

    private func end() {
        guard !isOver else { return }
        isOver = true
        if let timer { loop.cancel(timer) }
        timer = nil
        channel?.close()
        channel = nil
        let completion = completion
        self.completion = { _ in }
        completion(search.outcome)
    }
}
