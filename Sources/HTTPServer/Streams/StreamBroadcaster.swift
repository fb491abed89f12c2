// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization

/// Writes all streams, on a thread of its own.
///
/// Polls each stream's source when woken and writes what the client's socket accepts immediately. A slower client is
/// left alone until its socket is writable: its source is not polled, no thread waits for it, and it is closed when
/// nothing moves for too long. While nothing happens and no stream is open, it makes no system call.
final class StreamBroadcaster: Sendable {
    /// The maximum number of chunks per write; bursts are merged that far.
    private static let piecesPerWrite = 16
    /// The maximum bytes per write of several chunks: few at first, so that clients read the first of a burst while the
    /// rest is still made, then more each time.
    private static let bytesPerWrite = 4 * 1024...64 * 1024
    /// The maximum number of writes for one stream before the next has its turn.
    private static let writesPerTurn = 8
    /// The maximum bytes that a client may send into its stream.
    private static let discardLimit = 64 * 1024

    private let loop: EventLoop
    private let inbox: ServerInbox
    private let streamLimit: Int
    private let sendBuffer: Int
    private let heartbeat: UInt64
    private let stallTimeout: UInt64
    private let isWakePending = Atomic(false)
    private let open = Atomic(0)
    private let started = Atomic<UInt64>(0)
    private let stalled = Atomic<UInt64>(0)
    private let written = Atomic<UInt64>(0)
    private let loopState: ThreadConfined<Confined>
    private var confined: Confined { loopState.value }

    /// State that only the broadcaster's thread uses.
    private final class Confined {
        var streams: [OpenStream] = []
        var unfinished: [OpenStream] = []
        var timer: (token: TimerToken, deadline: UInt64)?
        var scratch: [UInt8] = []
    }

    init(settings: HTTPServerSettings, inbox: ServerInbox) throws(SystemError) {
        self.inbox = inbox
        streamLimit = settings.limits.streams
        sendBuffer = settings.streamSendBuffer
        heartbeat = settings.limits.heartbeat.nanoseconds
        stallTimeout = settings.limits.stallTimeout.nanoseconds
        loop = try EventLoop(name: "reachd-streams")
        loopState = ThreadConfined(Confined(), to: loop)
    }

    // MARK: Any thread

    /// Reserves a slot for one more stream; on success the caller must call ``begin(_:)``.
    ///
    /// - Parameter isExempt: whether the limit does not apply, as for deferred answers.
    func reserve(isExempt: Bool = false) -> Bool {
        if isExempt || open.wrappingAdd(1, ordering: .relaxed).newValue <= streamLimit { return true }
        open.wrappingSubtract(1, ordering: .relaxed)
        return false
    }

    /// Takes ownership of a stream; the caller must not use it afterwards.
    func begin(_ stream: OpenStream) {
        started.wrappingAdd(1, ordering: .relaxed)
        let stream = ThreadConfined(stream, to: loop)
        loop.execute { [self] in add(stream.value) }
    }

    /// Schedules a poll of all sources; calls until then are combined.
    func wake() {
        guard !isWakePending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { [self] in
            // Before the sources are polled: later wake-ups need another turn.
            isWakePending.store(false, ordering: .sequentiallyConsistent)
            broadcast()
        }
    }

    /// Runs a completion on the broadcaster's thread, after its current work.
    func ping(_ completion: @escaping @Sendable () -> Void) {
        loop.execute(completion)
    }

    /// Polls all sources a last time, ends all streams and notifies the server's thread.
    func endAll() {
        loop.execute { [self] in
            for stream in confined.streams.reversed() where !stream.isBlocked { pump(stream) }
            for stream in confined.streams.reversed() { end(stream) }
            inbox.streamsHaveEnded()
        }
    }

    /// Ends the thread.
    func close() {
        loop.close()
    }

    /// Adds its counters.
    func count(into statistics: inout HTTPServerStatistics) {
        statistics.openStreams = UInt64(clamping: open.load(ordering: .relaxed))
        statistics.startedStreams = started.load(ordering: .relaxed)
        statistics.stalledStreams = stalled.load(ordering: .relaxed)
        statistics.streamedBytes = written.load(ordering: .relaxed)
    }

    // MARK: The thread

    private func add(_ stream: OpenStream) {
        stream.socket.prepare(sendBuffer: sendBuffer, timeout: stallTimeout)
        stream.index = confined.streams.count
        confined.streams.append(stream)
        stream.lastProgress = loop.clock.now()
        do throws(SystemError) {
            stream.watch = try loop.watch(stream.socket.descriptor, for: .readable) { [self] events in
                ready(stream, events)
            }
        } catch {
            return end(stream)
        }
        stream.deadline = stream.source.timeLimit.map { stream.lastProgress + $0.nanoseconds }
        setTimer(by: min(stream.lastProgress + heartbeat, stream.deadline ?? .max))
        pump(stream)
    }

    private func end(_ stream: OpenStream) {
        guard let last = confined.streams.last, confined.streams[stream.index] === stream else { return }
        if let watch = stream.watch { loop.unwatch(watch) }
        stream.watch = nil
        confined.streams[stream.index] = last
        last.index = stream.index
        confined.streams.removeLast()
        if confined.streams.isEmpty, let timer = confined.timer {
            loop.cancel(timer.token)
            confined.timer = nil
        }
        stream.socket.finish()
        if !stream.source.isWholeResponse { open.wrappingSubtract(1, ordering: .relaxed) }
        stream.source.didEnd()
        inbox.release(stream.exchange)
    }

    private func ready(_ stream: OpenStream, _ events: EventLoop.Events) {
        if events.contains(.readable) {
            guard let count = stream.socket.discard() else { return end(stream) }
            stream.discarded += count
            guard stream.discarded <= Self.discardLimit else { return end(stream) }
        }
        guard stream.isBlocked, events.contains(.writable) else { return }
        block(stream, false)
        pump(stream)
    }

    private func broadcast() {
        var index = confined.streams.count
        // Backwards, because the last stream takes the index of one that ends.
        while index > 0 {
            index -= 1
            let stream = confined.streams[index]
            if !stream.isBlocked { pump(stream) }
            index = min(index, confined.streams.count)
        }
    }

    /// Polls a stream's source and writes, until there are no more bytes or the client accepts no more.
    private func pump(_ stream: OpenStream) {
        for turn in 0..<Self.writesPerTurn {
            let isIdle = gather(stream, min(Self.bytesPerWrite.lowerBound << turn, Self.bytesPerWrite.upperBound))
            guard flush(stream) else { return }
            guard stream.pending.isEmpty else { continue }
            if stream.isEnding { return end(stream) }
            if isIdle { return }
        }
        guard !stream.isUnfinished else { return }
        stream.isUnfinished = true
        confined.unfinished.append(stream)
        guard confined.unfinished.count == 1 else { return }
        loop.execute { [self] in
            let unfinished = confined.unfinished
            confined.unfinished = []
            for stream in unfinished {
                stream.isUnfinished = false
                if stream.watch != nil, !stream.isBlocked { pump(stream) }
            }
        }
    }

    /// Collects the chunks to write next; returns whether the source has no more for now.
    private func gather(_ stream: OpenStream, _ limit: Int) -> Bool {
        var bytes = 0
        while !stream.isEnding, stream.pending.count < Self.piecesPerWrite, bytes < limit {
            switch stream.source.next() {
            case .idle:
                return true
            case .bytes(let piece):
                // The source examined many events without a result, which is a turn's work.
                guard !piece.isEmpty else { return false }
                bytes += piece.count
                stream.pending.append(piece)
            case .end(let piece):
                stream.pending.append(piece)
                stream.isEnding = true
            }
        }
        return stream.isEnding
    }

    /// Writes the pending chunks, as far as they fit into one write.
    ///
    /// - Returns: Whether the stream continues now: not when it is blocked or over.
    private func flush(_ stream: OpenStream) -> Bool {
        var offered = 0
        let outcome: StreamSocket.Outcome
        if stream.pending.count <= 1 {
            guard let piece = stream.pending.first else { return true }
            offered = piece.count - stream.offset
            outcome = offered > 0 ? stream.socket.send(piece, from: stream.offset) : .sent(0)
        } else {
            // Copying a few kilobytes is far cheaper than the system calls that it saves.
            confined.scratch.removeAll(keepingCapacity: true)
            var offset = stream.offset
            for piece in stream.pending {
                let room = Self.bytesPerWrite.upperBound - confined.scratch.count
                guard room > 0 else { break }
                confined.scratch.append(contentsOf: piece[offset..<min(piece.count, offset + room)])
                offset = 0
            }
            offered = confined.scratch.count
            outcome = offered > 0 ? stream.socket.send(confined.scratch) : .sent(0)
        }
        switch outcome {
        case .broken:
            end(stream)
            return false
        case .sent(let count):
            stream.consume(count)
            if count > 0 {
                written.wrappingAdd(UInt64(count), ordering: .relaxed)
                stream.lastProgress = loop.clock.now()
            }
            guard count < offered else { return true }
            block(stream, true)
            return false
        }
    }

    private func block(_ stream: OpenStream, _ isBlocked: Bool) {
        guard stream.isBlocked != isBlocked, let watch = stream.watch else { return }
        stream.isBlocked = isBlocked
        do throws(SystemError) {
            try loop.rewatch(watch, for: isBlocked ? [.readable, .writable] : .readable)
        } catch {
            return end(stream)
        }
        if isBlocked {
            stream.lastProgress = loop.clock.now()
            setTimer(by: stream.lastProgress + stallTimeout)
        }
    }

    // MARK: The timer, one for all streams

    /// Sets the timer to fire by a time; there is none while there are no streams.
    private func setTimer(by deadline: UInt64) {
        guard !confined.streams.isEmpty else { return }
        if let timer = confined.timer {
            guard deadline < timer.deadline else { return }
            loop.cancel(timer.token)
        }
        confined.timer = (loop.schedule(at: deadline) { [self] in tick() }, deadline)
    }

    /// Sends heartbeats that are due and closes stalled streams.
    private func tick() {
        confined.timer = nil
        let now = loop.clock.now()
        var next = UInt64.max
        var index = confined.streams.count
        while index > 0 {
            index -= 1
            let stream = confined.streams[index]
            let due = stream.lastProgress + (stream.isBlocked ? stallTimeout : heartbeat)
            let isLate = stream.deadline.map { $0 <= now } ?? false
            if due > now, !isLate {
                next = min(next, due, stream.deadline ?? .max)
            } else if stream.isBlocked || isLate {
                stalled.wrappingAdd(1, ordering: .relaxed)
                end(stream)
            } else {
                stream.lastProgress = now
                next = min(next, now + heartbeat)
                let bytes = stream.source.heartbeat
                if !bytes.isEmpty {
                    stream.pending.append(bytes)
                    pump(stream)
                }
            }
            index = min(index, confined.streams.count)
        }
        guard next != .max else { return }
        // Coarse: streams that began at different times share a tick.
        setTimer(by: max(next, now + min(heartbeat, stallTimeout, 1_000_000_000) / 4))
    }
}
