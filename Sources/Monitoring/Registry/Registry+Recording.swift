// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// What a recorder does that writes events to a disk before any reader sees them.
///
/// While a promise of durability is in force readers see events up to the newest that is safe. When the recorder cannot keep
/// it, it gives the promise up: readers see everything at once, under another epoch, because a number that was seen and
/// then lost could be another event's after a restart.
extension Registry {
    /// Which promise of durability is meant.
    package struct DurabilityLease: Sendable, Hashable {
        let number: UInt64
    }

    /// Adds a closure that runs after each change, also after those that no reader sees yet, on the thread that made it; it
    /// must not block.
    package func onChanges(_ listener: @escaping @Sendable () -> Void) {
        listeners.withLock { $0.changes.append(listener) }
    }

    /// Sets what runs between the parts of a long list of targets that is being put in force, on the thread that does so:
    /// it may wait there for followers of the log.
    package func onDeclaring(_ pause: @escaping @Sendable () -> Void) {
        listeners.withLock { $0.declaringPause = pause }
    }

    /// The number of the newest event, seen or not.
    package var recordedSequence: UInt64 { published.recorded }

    /// Goes on with a log of an earlier run: its events are as if they were recorded here. Before the first event.
    ///
    /// - Parameters:
    ///   - epoch: the log's.
    ///   - head: the number of its newest event.
    ///   - archive: where its events are.
    package func continueLog(epoch: String, head: UInt64, archive: any EventArchive) -> DurabilityLease {
        rendered.forget()
        return change { state in
            state.epoch = epoch
            state.log.restart(after: head)
            state.bumpRevision()
            return state.openCommitGate(through: head, archive: archive)
        }
    }

    /// Events that memory has, seen or not. Any thread.
    package func recordedEvents(after sequence: UInt64, limit: Int) -> EventSlice<RecordedEvent> {
        rendered.events(of: recordedChanges(after: sequence, limit: limit))
    }

    /// The same with the records that they speak of. Any thread.
    package func recordedChanges(after sequence: UInt64, limit: Int) -> EventSlice<Event> {
        state.withLock { state in
            EventSlice(
                events: state.log.events(after: sequence, limit: limit),
                oldest: state.log.oldest,
                head: state.log.head,
                epoch: state.epoch,
                numbering: state.numbering
            )
        }
    }

    /// Marks events as committed and shows them to readers. Does nothing when the lease has ended.
    package func makeDurable(through sequence: UInt64, under term: DurabilityLease) {
        let isNew = change { state in
            guard let durable = state.durable, durable.term == term.number, sequence > durable.head else {
                return false
            }
            state.durable?.head = min(sequence, state.log.head)
            state.log.safeHead = state.durable?.head
            // Texts with the last sequence have changed.
            state.bumpRevision()
            return true
        }
        if isNew { notifyReaders() }
    }

    /// Gives a promise up: from now on readers see everything at once, under another epoch.
    ///
    /// - Returns: Whether it was in force.
    @discardableResult
    package func degradeDurability(_ term: DurabilityLease) -> Bool {
        let isOver = change { state in
            guard state.durable?.term == term.number else { return false }
            state.durable = nil
            state.log.safeHead = nil
            state.epoch = EventID.randomEpoch()
            state.bumpRevision()
            return true
        }
        if isOver { notifyReaders() }
        return isOver
    }

    /// Promises durability again, if everything that was recorded is safe at this moment.
    ///
    /// - Parameters:
    ///   - sequence: the number up to which everything is safe.
    ///   - archive: where events are read from that memory does not hold.
    /// - Returns: The promise, and the epoch that it is under; nil when there are newer events.
    package func openCommitGate(
        through sequence: UInt64,
        archive: any EventArchive
    ) -> (term: DurabilityLease, epoch: String)? {
        change { state in
            guard state.log.head == sequence else { return nil }
            return (state.openCommitGate(through: sequence, archive: archive), state.epoch)
        }
    }

    /// Notes a change of what the service reports of itself: not an event, but another ``version``.
    package func noteServiceChange() {
        change { $0.bumpRevision() }
    }

    /// Has readers look again though nothing happened: of the log they can read another part than before.
    package func wakeReaders() { notifyReaders() }

    /// How far the numbers of this run's events were moved in all, another after each ``moveEvents(behind:)``: adding the
    /// difference to a number from before has the same event's number.
    package var numbering: UInt64 { published.numbering }

    /// Puts this run's events behind those of a log of an earlier run, under another epoch: each gets a number that is larger by that
    /// log's last one. Not while a promise is in force; once in a process's life as a rule, hence all under one lock.
    ///
    /// - Parameter sequence: the number of the log's newest event.
    package func moveEvents(behind sequence: UInt64) {
        change { $0.moveEvents(by: sequence) }
        notifyReaders()
    }
}
