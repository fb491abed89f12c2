// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc
internal import Synchronization

/// One thread that waits for descriptors and timers and runs what hangs on them, one thing at a time.
///
/// `epoll_wait(2)` with no time limit unless a timer is set: an idle loop makes no system call. Everything but
/// ``execute(_:)``, ``executeAndWait(_:)`` and closing belongs to the loop's own thread.
///
/// Timers come before sockets. A turn is what `epoll_wait(2)` returns, at most ``batchSize`` descriptors, and the timers
/// that are due are called before the first of their handlers and after each: a timer is late by one handler at most,
/// however many descriptors are ready. The kernel returns ready descriptors in rotation, so that each is served in turn.
/// A handler must bound what it takes from its descriptor in one call.
package final class EventLoop: Sendable {
    /// A reason to look at a descriptor.
    package struct Events: OptionSet, Sendable {
        /// The bits.
        package let rawValue: UInt8
        /// Creates a set from its bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// It can be read, or its peer hung up, or it has an error.
        package static let readable = Events(rawValue: 1)
        /// It can be written.
        package static let writable = Events(rawValue: 2)
    }

    /// The clock of the timers.
    package let clock: any MonotonicClock
    private let epoll: OwnedDescriptor
    private let wakeUp: OwnedDescriptor
    private let inbox = Mutex(Inbox())
    /// The thread, to which handlers and timers are confined.
    let owner: ThreadOwner
    private let tables: ThreadConfined<LoopTables>
    private var confined: LoopTables { tables.value }

    private struct Inbox {
        var jobs: [@Sendable () -> Void] = []
        /// The thread sleeps in `epoll_wait(2)`, or is about to: only then is waking it worth two system calls.
        var isWaiting = false
        var isClosed = false
    }

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: The thread's name, at most 15 bytes, as `ps -L` and debuggers show it.
    ///   - clock: The clock of the timers.
    ///   - prologue: Runs first on the thread; a test enters its network namespace here.
    /// - Throws: ``SystemError`` when a descriptor or the thread could not be had.
    package init(
        name: String,
        clock: any MonotonicClock = SystemMonotonicClock(),
        prologue: @escaping @Sendable () -> Void = {}
    ) throws(SystemError) {
        self.clock = clock
        owner = ThreadOwner()
        tables = ThreadConfined(LoopTables(), to: owner)
        epoll = OwnedDescriptor(owning: try systemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
        wakeUp = try OwnedDescriptor.eventCounter()
        try Self.control(epoll, EPOLL_CTL_ADD, wakeUp.number, .readable, token: Self.wakeUpToken)
        owner.thread = try Thread(name: name) { [self] in
            prologue()
            run()
        }
    }

    /// Runs a job on the loop's thread, after those given before; from any thread.
    ///
    /// - Returns: Whether the loop will run it; a closed one does not.
    @discardableResult
    package func execute(_ job: @escaping @Sendable () -> Void) -> Bool {
        let (accepted, mustWake) = inbox.withLock { inbox in
            guard !inbox.isClosed else { return (false, false) }
            inbox.jobs.append(job)
            defer { inbox.isWaiting = false }
            return (true, inbox.isWaiting)
        }
        if mustWake { wakeUp.signal() }
        return accepted
    }

    /// Runs a job on the loop's thread and waits for its value; on the loop itself it runs at once.
    ///
    /// - Returns: nil when the loop is closed.
    package func executeAndWait<Value: Sendable>(_ job: @escaping @Sendable () -> Value) -> Value? {
        if isCurrent { return job() }
        let answer = OneShotPromise<Value>()
        guard execute({ answer.give(job()) }) else { return nil }
        return answer.take()
    }

    /// Whether the caller runs on the loop's thread.
    package var isCurrent: Bool { owner.isCurrent }

    /// Ends the loop after the jobs it was given and waits for its thread, unless called on it; a second call does
    /// nothing. Handlers and timers that are left are dropped. From any thread.
    package func close() {
        beginClosing()?.end()
    }

    /// The same, but waits for no more than a limited time: a job that hangs, for example on a disk that does not answer, continues alone.
    ///
    /// - Returns: Whether the thread has ended; yes for a second call.
    @discardableResult
    package func close(within limit: Duration) -> Bool {
        beginClosing()?.end(within: limit) ?? true
    }

    /// Takes no more jobs; returns the thread to the first caller.
    private func beginClosing() -> Thread? {
        let thread: Thread? = inbox.withLock { inbox in
            guard !inbox.isClosed else { return nil }
            inbox.isClosed = true
            return owner.thread
        }
        if thread != nil { wakeUp.signal() }
        return thread
    }

    // MARK: On the loop's thread

    /// Calls a handler whenever a descriptor is ready; level-triggered. On the loop's thread.
    ///
    /// - Returns: A token that ``unwatch(_:)`` takes.
    package func watch(
        _ descriptor: Int32,
        for events: Events,
        handler: @escaping (Events) -> Void
    ) throws(SystemError) -> WatchToken {
        let token = confined.nextToken()
        try Self.control(epoll, EPOLL_CTL_ADD, descriptor, events, token: token)
        confined.handlers[token] = handler
        confined.watchers[descriptor] = token
        return WatchToken(number: token, descriptor: descriptor)
    }

    /// Changes what a watch waits for; a watch that ended is left alone. On the loop's thread.
    package func rewatch(_ token: WatchToken, for events: Events) throws(SystemError) {
        guard confined.watchers[token.descriptor] == token.number else { return }
        try Self.control(epoll, EPOLL_CTL_MOD, token.descriptor, events, token: token.number)
    }

    /// Ends a watch; its handler is not called again. On the loop's thread, before the descriptor is closed.
    package func unwatch(_ token: WatchToken) {
        guard let handler = confined.handlers.removeValue(forKey: token.number) else { return }
        // What the handler holds goes only now that the table is not being changed: it may unwatch in its turn.
        defer { withExtendedLifetime(handler) {} }
        // When the owner closed the descriptor too early, its number may be another watch's by now.
        guard confined.watchers[token.descriptor] == token.number else { return }
        confined.watchers[token.descriptor] = nil
        // Or it is unused; the watch is over either way.
        try? Self.control(epoll, EPOLL_CTL_DEL, token.descriptor, [], token: token.number)
    }

    /// Calls a handler once at a time of the loop's clock, in nanoseconds, never from inside this call; a time in the
    /// past means the loop's next turn. On the loop's thread.
    ///
    /// - Returns: A token that ``cancel(_:)`` takes.
    package func schedule(at deadline: UInt64, handler: @escaping () -> Void) -> TimerToken {
        let token = confined.nextToken()
        confined.timers.insert(deadline: deadline, token: token, handler: handler)
        return TimerToken(number: token)
    }

    /// Calls a handler once after a time in nanoseconds. On the loop's thread.
    package func schedule(after delay: UInt64, handler: @escaping () -> Void) -> TimerToken {
        let (deadline, overflow) = clock.now().addingReportingOverflow(delay)
        return schedule(at: overflow ? .max : deadline, handler: handler)
    }

    /// Ends a timer; a timer that fired or was cancelled before is left alone. On the loop's thread.
    package func cancel(_ token: TimerToken) {
        let handler = confined.timers.remove(token: token.number)
        // As in unwatch: what it holds may cancel in its turn.
        withExtendedLifetime(handler) {}
    }

    // MARK: The thread

    /// How many descriptors are served in one turn; jobs wait for the end of a turn.
    static let batchSize = 16

    private static let wakeUpToken: UInt64 = 0

    private func run() {
        var ready = unsafe [epoll_event](repeating: epoll_event(), count: Self.batchSize)
        while true {
            let (mayWait, isClosed) = inbox.withLock { inbox in
                inbox.isWaiting = inbox.jobs.isEmpty && !inbox.isClosed
                return (inbox.isWaiting, inbox.isClosed)
            }
            if isClosed { break }
            let timeout = mayWait ? confined.timers.timeout(at: clock) : 0
            let count = unsafe epoll_wait(epoll.number, &ready, Int32(ready.count), timeout)
            precondition(count >= 0 || errno == EINTR, "epoll_wait(2) refuses only what is our mistake")
            inbox.withLock { $0.isWaiting = false }
            // A timer that is set from here on belongs to the next turn: one that sets itself anew at once would keep
            // everything else waiting.
            let newest = confined.lastToken
            fireTimers(upTo: newest)
            for index in 0..<max(0, Int(count)) {
                unsafe dispatch(ready[index])
                fireTimers(upTo: newest)
            }
            runJobs()
        }
        // None is accepted any more: these were given before it closed.
        runJobs()
        owner.thread = nil
        confined.loopEnds()
    }

    private func runJobs() {
        let jobs = inbox.withLock { inbox in
            let jobs = inbox.jobs
            inbox.jobs = []
            return jobs
        }
        for job in jobs { job() }
    }

    private func dispatch(_ event: epoll_event) {
        let token = unsafe event.data.u64
        guard token != Self.wakeUpToken else { return wakeUp.drain() }
        let bits = unsafe event.events
        var events: Events = []
        if bits & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue | EPOLLRDHUP.rawValue) != 0 {
            events.insert(.readable)
        }
        if bits & (EPOLLOUT.rawValue | EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { events.insert(.writable) }
        // By token, not by descriptor: an earlier handler of this batch may have unwatched it and re-used its number.
        confined.handlers[token]?(events)
    }

    /// Calls the timers that are due and not newer than a token.
    private func fireTimers(upTo newest: UInt64) {
        while let handler = confined.timers.popDue(at: clock, upTo: newest) { handler() }
    }

    private static func control(
        _ epoll: OwnedDescriptor,
        _ operation: Int32,
        _ descriptor: Int32,
        _ events: Events,
        token: UInt64
    ) throws(SystemError) {
        var event = unsafe epoll_event()
        unsafe event.data.u64 = token
        if events.contains(.readable) { unsafe event.events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
        if events.contains(.writable) { unsafe event.events |= EPOLLOUT.rawValue }
        try systemCall("epoll_ctl") { unsafe epoll_ctl(epoll.number, operation, descriptor, &event) }
    }
}

/// A watch on a descriptor.
package struct WatchToken: Sendable, Hashable {
    let number: UInt64
    let descriptor: Int32
}

/// A timer that has not fired yet, or has.
package struct TimerToken: Sendable, Hashable {
    let number: UInt64
}

/// What hangs on a loop: handlers and timers.
private final class LoopTables {
    var handlers: [UInt64: (EventLoop.Events) -> Void] = [:]
    /// Which watch a descriptor's registration with epoll belongs to.
    var watchers: [Int32: UInt64] = [:]
    var timers = TimerQueue()
    private(set) var lastToken: UInt64 = 0

    func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    /// Drops what is left, so that objects that hold the loop and are held by it can go.
    func loopEnds() {
        let leftHandlers = handlers
        let leftTimers = timers
        handlers = [:]
        watchers = [:]
        timers = TimerQueue()
        // They go only now that nothing here is being changed: they may unwatch and cancel on their way out.
        withExtendedLifetime((leftHandlers, leftTimers)) {}
    }
}
