// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// The common part of attempts: phase times, the watch, timers, and a single end.
final class AttemptProgress {
    let context: AttemptContext
    private let start: UInt64
    private var phaseStart: UInt64
    private var phases = PhaseTimes()
    private var watch: WatchToken?
    private var watched: EventLoop.Events = []
    private var timers: [Int: TimerToken] = [:]
    private var lastTimer = 0
    private(set) var isOver = false
    /// Whether the service itself sent anything.
    var isAnswered = false

    init(_ context: AttemptContext) {
        self.context = context
        start = context.loop.clock.now()
        phaseStart = start
    }

    var loop: EventLoop { context.loop }

    /// Ends a phase and starts the next one.
    func endPhase(_ phase: ProbePhase) {
        let now = loop.clock.now()
        phases[phase] = .nanoseconds(now - phaseStart)
        phaseStart = now
    }

    /// Adds a separately measured time to a phase.
    func addPhase(_ phase: ProbePhase, _ time: Duration) {
        phases.add(time, to: phase)
    }

    /// Watches the attempt's socket. Until ``stopWaiting()``, another call changes the awaited events and keeps the
    /// handler.
    func wait(
        on socket: ProbeSocket,
        for events: EventLoop.Events,
        _ handler: @escaping (EventLoop.Events) -> Void
    ) throws(ProbeFault) {
        do throws(SystemError) {
            if let watch {
                if events != watched { try loop.rewatch(watch, for: events) }
            } else {
                watch = try loop.watch(socket.descriptor.number, for: events, handler: handler)
            }
            watched = events
        } catch {
            throw ProbeFault(error, at: .setup)
        }
    }

    /// Ends the watch; call it before closing the socket.
    func stopWaiting() {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }

    /// Calls the handler at a deadline, unless the attempt has ended by then.
    func schedule(at deadline: UInt64, _ handler: @escaping () -> Void) {
        lastTimer += 1
        let key = lastTimer
        timers[key] = loop.schedule(at: deadline) { [weak self] in
            self?.timers[key] = nil
            handler()
        }
    }

    /// Ends the watch and the timers, without a result.
    ///
    /// - Returns: false when the attempt had ended already.
    @discardableResult
    func end() -> Bool {
        guard !isOver else { return false }
        isOver = true
        stopWaiting()
        for timer in timers.values { loop.cancel(timer) }
        timers = [:]
        return true
    }

    /// Ends the attempt with a result; `edit` adds the fields of the kind.
    func finish(
        _ outcome: ProbeOutcome,
        _ reason: ProbeReason?,
        _ detail: String,
        edit: (inout AddressResult) -> Void = { _ in }
    ) {
        guard end() else { return }
        var result = AddressResult(context.address, outcome, reason, detail)
        result.isAnswered = isAnswered
        result.duration = .nanoseconds(loop.clock.now() - start)
        result.phases = phases
        edit(&result)
        context.completion(result)
    }

    /// Ends the attempt as a failure; `edit` adds the fields of the kind.
    ///
    /// - Parameter stall: What the kernel knows of the established connection; used for timeouts.
    func fail(
        _ fault: ProbeFault,
        stall: StalledConnection? = nil,
        edit: (inout AddressResult) -> Void = { _ in }
    ) {
        let stall = fault.reason == .timeout ? stall : nil
        finish(.failure, fault.reason, fault.detail + (stall?.words ?? "")) { result in
            result.packetError = fault.packetError
            result.stall = stall
            edit(&result)
        }
    }
}
