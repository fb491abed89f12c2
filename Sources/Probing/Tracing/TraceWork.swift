// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// One trace: its plan, its channel and its timer. On the loop's thread.
final class TraceWork: CancellableWork {
    let request: TraceRequest
    /// Called once, when the trace ends.
    var completion: (TraceResult) -> Void = { _ in }

    private let loop: EventLoop
    private let opened: ConnectionHandler?
    private var begin: UInt64
    private var plan: TracePlan
    private var channel: (any TraceChannel)?
    private var timer: TimerToken?
    private var isStepping = false
    private var isOver = false

    init(_ request: TraceRequest, loop: EventLoop, opened: ConnectionHandler?) {
        self.request = request
        self.opened = opened
        self.loop = loop
        begin = loop.clock.now()
        plan = TracePlan(request, pace: TracePace(request.method), begin: begin)
    }

    /// The maximum number of descriptors: sockets in parallel, and one that keeps a port or finds the source.
    var descriptorCount: Int {
        let pace = TracePace(request.method)
        return 1 + (pace.wideWidth > 0 ? pace.wideWidth : 1)
    }

    func start() {
        begin = loop.clock.now()
        do throws(ProbeFault) {
            try request.check()
            plan = TracePlan(request, pace: TracePace(request.method), begin: begin)
            let channel = try openChannel()
            channel.handler = { [unowned self] answer, probe in
                plan.add(answer, to: probe, at: loop.clock.now())
                step()
            }
            self.channel = channel
        } catch {
            return end(.fault(error))
        }
        step()
    }

    private func openChannel() throws(ProbeFault) -> any TraceChannel {
        switch request.method {
        case .tcp: try TCPTraceChannel(request, loop: loop, opened: opened)
        case .udp: try UDPTraceChannel(request, loop: loop)
        case .icmp: try EchoTraceChannel(request, loop: loop)
        }
    }

    func cancel() {
        end(.fault(ProbeFault(reason: .cancelled, detail: "cancelled")))
    }

    // MARK: Steps

    /// Follows the plan until it waits.
    private func step() {
        // An answer that arrives while a packet is sent.
        guard !isStepping, !isOver else { return }
        isStepping = true
        defer { isStepping = false }
        if let timer { loop.cancel(timer) }
        timer = nil
        while let channel, !isOver {
            switch plan.next(at: loop.clock.now()) {
            case .send(let probe):
                do throws(ProbeFault) {
                    try channel.send(probe)
                } catch {
                    // Also after some answers: this machine's network has changed.
                    return end(.fault(error))
                }
            case .giveUp(let probe): channel.giveUp(probe)
            case .wait(let time):
                timer = loop.schedule(at: time) { [weak self] in self?.wake() }
                return
            case .finish: return end(plan.record.end)
            }
        }
    }

    private func wake() {
        timer = nil
        // The loop fires timers before it checks sockets: answers that arrived in time are read first.
        channel?.read()
        step()
    }

    private func end(_ end: TraceResult.End) {
        guard !isOver else { return }
        isOver = true
        if let timer { loop.cancel(timer) }
        timer = nil
        channel?.close()
        channel = nil
        let completion = completion
        self.completion = { _ in }
        completion(
            TraceResult(
                request: request,
                hops: plan.record.resultHops,
                end: end,
                duration: .nanoseconds(Int64(clamping: loop.clock.now() - begin)),
                packetsSent: plan.record.packetsSent,
                isOneFlow: plan.record.isOneFlow
            )
        )
    }
}

extension TracePace {
    init(_ method: TraceRequest.Method) {
        switch method {
        case .tcp: self = .sequential
        case .udp, .icmp: self = .parallel
        }
    }
}
