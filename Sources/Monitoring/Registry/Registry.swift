// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO
package import NetworkPaths
import Synchronization

/// All targets, the machine's own network, and the one numbered order of everything that happened to them.
///
/// The life of one change: the path engine calls on its own thread; under the lock the new record replaces the old one
/// and its events get the next numbers, a few hundred targets at a time so that no reader waits long; after the
/// lock is released the ``onEvents(_:)`` closures run, and streams read the log from their own positions.
/// A reader that takes a value and the number of the last event in one call has registered: what follows that number
/// is what it has not seen. No closure is called while the lock is held.
package final class Registry: Sendable {
    /// The name of this process's life, in what is good for no longer than it: validators, cursors.
    package let run: String

    let clock: any WallClock
    let timers: any MonotonicClock
    let state: Mutex<RegistryState>
    private let snapshot: Mutex<PublishedNumbers>
    let live = Mutex(TransientEventRing())
    let rendered = RenderedEvents()
    /// Held by the one thread that changes the list of targets. The engine's thread only tries it: its holder
    /// may be waiting for that thread in ``PathSource/remove(_:)``.
    let declarations = Mutex(Declarations())
    let listeners = Mutex(Listeners())

    /// The closures that are called outside of all locks.
    struct Listeners {
        /// After new events that readers may see.
        var events: [@Sendable () -> Void] = []
        /// After each change.
        var changes: [@Sendable () -> Void] = []
        /// With each probe's result.
        var results: [@Sendable (StatusRecord, ProbeReport) -> Void] = []
        /// Between the parts of a long list of targets.
        var declaringPause: (@Sendable () -> Void)?
    }

    /// What only the holder of the declarations lock touches.
    struct Declarations {
        var source: (any PathSource)?
        var isAutomatic = false
        var mark: UInt32 = 0
    }

    /// Targets changed in one critical section; small enough for a reader not to notice.
    static let sliceLength = 256
    /// Requests handed to the engine at once.
    static let additionLength = 4096

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - log: how much history to keep.
    ///   - clock: the wall clock.
    ///   - timers: the clock for durations.
    ///   - epoch: the log's first epoch and the run's name; random unless a test names it.
    package init(
        log: EventLogSettings = EventLogSettings(),
        clock: any WallClock = SystemWallClock(),
        timers: any MonotonicClock = SystemMonotonicClock(),
        epoch: String = EventID.randomEpoch()
    ) {
        run = epoch
        self.clock = clock
        self.timers = timers
        let first = RegistryState(log: log, epoch: epoch, now: clock.now())
        snapshot = Mutex(first.published)
        state = Mutex(first)
    }

    /// Adds a closure that runs after each set of new events that readers may see, on the thread that recorded them or made them
    /// durable; it must not block.
    ///
    /// Several sets may share one call. Listeners cannot be removed; they live as long as the registry.
    package func onEvents(_ listener: @escaping @Sendable () -> Void) {
        listeners.withLock { $0.events.append(listener) }
    }

    /// The numbers after the last change, all of one moment. Does not wait for a change that is under way.
    var published: PublishedNumbers { snapshot.withLock { $0 } }

    /// Changes the state under the lock and publishes its numbers; the caller calls the listeners.
    func change<Result: Sendable>(_ body: (inout RegistryState) -> Result) -> Result {
        state.withLock { state in
            let result = body(&state)
            state.recordIncidents()
            let numbers = state.published
            snapshot.withLock { $0.follow(numbers) }
            return result
        }
    }

    /// After a change: notifies followers of the log, and readers if there is something new for them.
    func notifyListeners() {
        for listener in listeners.withLock({ $0.changes }) { listener() }
        if snapshot.withLock({ $0.beginTelling() }) { notifyReaders() }
    }

    /// After a change that readers see and that is not recorded.
    func notifyReaders() {
        for listener in listeners.withLock({ $0.events }) { listener() }
    }
}

/// The registry's numbers after its last change, for readers that only compare them: they take a lock that is held for one copy,
/// and never the one under which targets are judged.
///
/// An event has one number. What is numbered beside it, and changes for other reasons:
///
/// - `head` and `recorded` are numbers of events. They differ while a promise of durability is in force: events up to
///   `recorded` are in memory, up to `head` in the log's file, and readers see up to `head`.
/// - `version` grows with every event, and with what readers can see and is not an event: validators of answers.
/// - `epochRevision` counts the changes of the epoch: what was made under one epoch is not good for another.
/// - `numbering` is how far all sequences were moved: holders of a sequence add the difference.
struct PublishedNumbers: Sendable {
    /// The number of the newest event that readers may see.
    var head: UInt64
    /// The number of the newest event, seen or not.
    var recorded: UInt64
    /// Another one after everything that a reader could see.
    var version: UInt64
    /// How often the epoch changed.
    var epochRevision: UInt64
    /// How far the events' numbers were moved in all.
    var numbering: UInt64
    /// Whether readers see less than was recorded.
    var isHeldBack: Bool
    /// Whether there is something to do for the driver of the probes.
    var hasCommands: Bool
    /// The ``head`` of the last notification of readers.
    private(set) var told: UInt64 = 0

    /// Takes the numbers after a change.
    mutating func follow(_ new: PublishedNumbers) {
        let told = told
        self = new
        self.told = told
    }

    /// Notes that readers are being notified of everything.
    ///
    /// - Returns: Whether there may be something new for them.
    mutating func beginTelling() -> Bool {
        defer { told = head }
        return told != head || !isHeldBack
    }
}

/// Where verdicts come from: a path engine, or a stand-in for it in tests.
package protocol PathSource: AnyObject, Sendable {
    /// Begins to judge, each request under the caller's handle; first verdicts arrive through the observer, possibly before
    /// this returns.
    func add(_ requests: [(id: PathID, request: PathRequest)])
    /// Ends it.
    func remove(_ ids: [PathID])
}

extension PathEngine: PathSource {}
