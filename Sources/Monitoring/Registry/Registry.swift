// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// All targets, the machine's own network, and the one numbered order of everything that happened to them.
///
/// The life of one change: the path engine calls on its own thread; under the lock the new record replaces the old one
/// and its events get the next numbers, a few hundred targets at a time so that no reader waits long; after the
/// lock is open again the ``onEvents(_:)`` closures run, and whoever streams reads the log from its own position.
/// A reader that takes a value and the number of the last event in one call has registered: what follows that number
/// is what it has not seen. Nobody is ever called while the lock is held.
public final class Registry: Sendable {
    /// The name of this process's life, in what is good for no longer than it: validators, cursors.
    public let run: String

    let clock: any WallClock
    let state: Mutex<RegistryState>
    /// The number of the newest event that readers may see, for those who only ask whether something happened.
    let publishedHead = Atomic<UInt64>(0)
    /// The number of the newest event, seen or not.
    let recordedHead = Atomic<UInt64>(0)
    /// Another number after each change of the epoch.
    let publishedEra = Atomic<UInt64>(0)
    /// What ``publishedHead`` was when readers were told last.
    private let toldHead = Atomic<UInt64>(0)
    /// Whether readers see less than was recorded.
    private let isHeldBack = Atomic<Bool>(false)
    /// As ``publishedHead``, and also another after what is no event.
    let publishedVersion = Atomic<UInt64>(0)
    /// Whether there is something to do for whoever runs the probes.
    let hasCommands = Atomic<Bool>(false)
    let live = Mutex(LiveLog())
    let rendered = RenderedEvents()
    /// How many read each probe's result; while none does, results are not kept for them.
    let resultReaders = Atomic<Int>(0)
    /// How far the events' numbers were moved in all.
    let numberings = Atomic<UInt64>(0)
    /// Held by the one thread that changes the list of targets. The engine's thread only ever tries it: who holds it
    /// may be waiting for that thread in ``PathSource/remove(_:)``.
    let declarations = Mutex(Declarations())
    private let listeners = Mutex<[@Sendable () -> Void]>([])
    let changeListeners = Mutex<[@Sendable () -> Void]>([])
    let declaringPause = Mutex<(@Sendable () -> Void)?>(nil)
    let resultListeners = Mutex<[@Sendable (StatusRecord, ProbeReport) -> Void]>([])
    /// Whether there are any, for the many results that nobody listens to.
    let hasResultListeners = Atomic<Bool>(false)

    /// What only the holder of the declarations lock touches.
    struct Declarations {
        var source: (any PathSource)?
        var isAutomatic = false
        var mark: UInt32 = 0
    }

    /// Targets changed in one critical section; small enough for a reader not to notice.
    static let sliceLength = 256
    /// Requests handed to the engine at once; bounds what waits for registration.
    static let additionLength = 4096

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - log: how much history to keep.
    ///   - clock: tells what time it is.
    ///   - epoch: the log's first epoch and the run's name; random unless a test names it.
    public init(
        log: EventLogSettings = EventLogSettings(),
        clock: any WallClock = SystemWallClock(),
        epoch: String = EventID.randomEpoch()
    ) {
        run = epoch
        self.clock = clock
        state = Mutex(RegistryState(log: log, epoch: epoch, now: clock.now()))
    }

    /// Adds a closure that runs after each set of new events that readers may see, on the thread that recorded them or made them
    /// durable; it must not block.
    ///
    /// Several sets may share one call. There is no way back: listeners live as long as the registry.
    public func onEvents(_ listener: @escaping @Sendable () -> Void) {
        listeners.withLock { $0.append(listener) }
    }

    /// Changes the state under the lock and makes the new head visible; the caller tells the listeners.
    func change<Result: Sendable>(_ body: (inout RegistryState) -> Result) -> Result {
        state.withLock { state in
            let result = body(&state)
            publishedHead.store(state.visibleHead, ordering: .releasing)
            recordedHead.store(state.log.head, ordering: .releasing)
            publishedEra.store(state.era, ordering: .releasing)
            numberings.store(state.numbering, ordering: .releasing)
            isHeldBack.store(state.durable != nil, ordering: .releasing)
            publishedVersion.store(state.version, ordering: .releasing)
            if !state.commands.isEmpty { hasCommands.store(true, ordering: .releasing) }
            return result
        }
    }

    /// After a change: those who follow what is recorded, and those who read, if there is something new for them.
    func tellListeners() {
        for listener in changeListeners.withLock({ $0 }) { listener() }
        let head = publishedHead.load(ordering: .acquiring)
        let isNew = toldHead.exchange(head, ordering: .acquiringAndReleasing) != head
        if isNew || !isHeldBack.load(ordering: .acquiring) { tellReaders() }
    }

    /// After something that readers see and that nobody has to record.
    func tellReaders() {
        for listener in listeners.withLock({ $0 }) { listener() }
    }
}
