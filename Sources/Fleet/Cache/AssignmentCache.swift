// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
package import LinuxIO
package import Monitoring
import Synchronization

/// Keeps a node's assignments in a file beside its event log, so that a restart without the database continues with them.
///
/// Files are written on a thread of its own: a full, slow or stalled disk delays neither probes nor the lease. Requests within a moment
/// are one write, and writing takes at most a hundredth of the time (``WritePace``).
package final class AssignmentCache: Sendable {
    /// Whether the file is as it should be.
    package struct Status: Sendable, Hashable {
        /// When the file was written last; nil for not in this run.
        package internal(set) var savedAt: Timestamp?
        /// Why the file was not used, or not written the last time; nil without a fault.
        package internal(set) var fault: AssignmentCacheError?
    }

    /// What only the thread touches.
    private final class Writer {
        var waiting: (@Sendable () -> CachedAssignments)?
        var pace = WritePace()
        var timer: TimerToken?
    }

    private let file: StateFile
    private let wall: any WallClock
    private let log: @Sendable (LogMessage) -> Void
    /// The thread; tests run its turns.
    let loop: EventLoop
    private let writer: ThreadConfined<Writer>
    private let state = Mutex(Status())

    /// Starts the thread; the file is not touched.
    ///
    /// - Parameters:
    ///   - file: the file; no other process may write it.
    ///   - clock: the clock of the pace.
    ///   - wall: the wall clock, for the status.
    ///   - log: receives messages for the operator, on any thread.
    /// - Throws: ``SystemError`` when the thread cannot be created.
    package init(
        _ file: StateFile,
        clock: any MonotonicClock = SystemMonotonicClock(),
        wall: any WallClock = SystemWallClock(),
        log: @escaping @Sendable (LogMessage) -> Void
    ) throws(SystemError) {
        let loop = try EventLoop(name: "reachd-fleet-file", clock: clock)
        (self.file, self.wall, self.log, self.loop) = (file, wall, log, loop)
        guard let writer = loop.executeAndWait({ ThreadConfined(Writer(), to: loop) }) else {
            throw SystemError(code: ESHUTDOWN, operation: "reachd-fleet-file")
        }
        self.writer = writer
    }

    /// The state of the file. Any thread.
    package var status: Status { state.withLock { $0 } }

    /// Reads the file; may wait for the disk. A file that is not used is logged, and replaced by the next write.
    ///
    /// - Parameter owner: whose assignments are wanted.
    /// - Returns: nil without a file that can be used.
    package func load(_ owner: CachedAssignments.Owner) -> CachedAssignments? {
        do throws(AssignmentCacheError) {
            guard let bytes = try read() else { return nil }
            let cached = try CachedAssignments(reading: bytes)
            guard cached.owner == owner else {
                throw AssignmentCacheError(.otherOwner, "it belongs to another node, location, database or role")
            }
            return cached
        } catch {
            refuse(error)
            return nil
        }
    }

    /// The contents that ``load(_:)`` returned are not used.
    package func refuse(_ fault: AssignmentCacheError) {
        state.withLock { $0.fault = fault }
        log(
            LogMessage(
                .warning,
                "the cached assignments are not used: \(fault.message)",
                facts: ["file": file.path, "code": fault.code.rawValue]
            )
        )
    }

    private func read() throws(AssignmentCacheError) -> [UInt8]? {
        do throws(SystemError) {
            return try file.read(below: CachedAssignments.sizeLimit)
        } catch {
            if error.code == EFBIG {
                throw AssignmentCacheError(.tooLarge, "the file is larger than \(CachedAssignments.sizeLimit) bytes")
            }
            throw AssignmentCacheError(.unreadable, "\(error)")
        }
    }

    /// Has the file written soon. Any thread; does not wait.
    ///
    /// - Parameter make: creates the contents when they are written, on the cache's thread; a later request replaces it.
    package func save(_ make: @escaping @Sendable () -> CachedAssignments) {
        loop.execute { [self] in
            writer.value.waiting = make
            schedule()
        }
    }

    /// Writes what waits and ends the thread.
    ///
    /// - Parameter limit: how long the disk may take.
    package func close(within limit: Duration) {
        loop.execute { [self] in write() }
        loop.close(within: limit)
    }

    // MARK: On the thread

    private func schedule() {
        guard writer.value.timer == nil else { return }
        let due = writer.value.pace.due(at: loop.clock.now())
        writer.value.timer = loop.schedule(at: due) { [weak self] in
            self?.writer.value.timer = nil
            self?.write()
        }
    }

    private func write() {
        guard let make = writer.value.waiting else { return }
        writer.value.waiting = nil
        let start = loop.clock.now()
        do throws(AssignmentCacheError) {
            try write(make())
            writer.value.pace.wrote(from: start, to: loop.clock.now())
            let isRecovered = state.withLock { state in
                defer { (state.fault, state.savedAt) = (nil, wall.now()) }
                return state.fault?.code == .unwritable || state.fault?.code == .tooLarge
            }
            if isRecovered { log(LogMessage(.info, "the assignments are cached again", facts: ["file": file.path])) }
        } catch {
            writer.value.pace.failed(at: loop.clock.now())
            let isNew = state.withLock { state in
                defer { state.fault = error }
                return state.fault?.code != error.code
            }
            if isNew {
                log(
                    LogMessage(
                        .warning,
                        "the assignments are not cached, so a restart without the database would not probe the fleet's targets: "
                            + error.message,
                        facts: ["file": file.path, "code": error.code.rawValue]
                    )
                )
            }
            // The same contents again, unless there are newer ones by then.
            writer.value.waiting = make
            schedule()
        }
    }

    private func write(_ cached: CachedAssignments) throws(AssignmentCacheError) {
        let bytes = try cached.encoded()
        do throws(SystemError) {
            try file.write(bytes)
        } catch {
            throw AssignmentCacheError(.unwritable, "\(error)")
        }
    }
}

/// When a file is written that costs more the more it has: requests within a second are one write, and after a write that took a time
/// the next one waits a hundred times as long. Instants are nanoseconds of one clock. A value.
struct WritePace: Sendable, Hashable {
    /// How long further requests are awaited.
    static let gathering: UInt64 = 1_000_000_000
    /// The shortest time between two writes.
    static let shortest: UInt64 = 10_000_000_000
    /// The longest time that a write delays the next one.
    static let longest: UInt64 = 3_600_000_000_000
    /// The time after a failure.
    static let retry: UInt64 = 60_000_000_000
    /// How many times as long as a write took the next one waits.
    static let factor: UInt64 = 100

    private var earliest: UInt64 = 0

    /// When to write for a request.
    func due(at now: UInt64) -> UInt64 { max(now + Self.gathering, earliest) }

    /// The file was written.
    mutating func wrote(from start: UInt64, to end: UInt64) {
        earliest = end + min(max(Self.shortest, (end - start) * Self.factor), Self.longest)
    }

    /// The file could not be written.
    mutating func failed(at now: UInt64) { earliest = now + Self.retry }
}
