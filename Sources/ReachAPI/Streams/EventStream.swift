// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import KeyValueObserving
import Monitoring
import Synchronization

/// One client of `/events`: a position in the log, a subscription, and at most one page of a snapshot.
///
/// New events and replay are the same: reading the log after the position. Everything that the client must not miss
/// follows the last id that it received; only the last page of a snapshot has an id, so that a connection lost in
/// between starts over.
final class EventStream: StreamSource {
    private enum Phase {
        /// The log may have grown on other nodes since: the position is decided when that is known.
        case waiting(@Sendable () -> StreamStart)
        case opening
        case paging(SnapshotPager, resumingAt: UInt64?)
        case live
    }

    private struct State {
        var phase: Phase
        var position: UInt64 = 0
        /// The position after which transient events are sent.
        var livePosition: UInt64
        /// The position at which the client wants to resume; nil for a new stream.
        var resumedAt: UInt64?
        /// The last event of the stream; nil for a stream that does not end.
        var end: UInt64?
        /// The sequence number that a snapshot covers.
        var coveredThrough: UInt64 = 0
        /// The reason for a snapshot, sent before its first page.
        var reset: (reason: ResetReason, requested: String)?
        var isSnapshotWanted: Bool
        var isInitialWanted: Bool
        /// The log that the positions belong to, and the epoch of their beginning.
        var numbering: UInt64 = 0
        var epoch = ""
        /// The pending read from a disk.
        var fetchStored: StoredEventFetch?
    }

    private let feed: EventRenderCache
    private let view: EventSubscription
    private let version: String
    private let clock: any WallClock
    private let state: Mutex<State>
    private let isFollowing: Bool
    private let ticket: UInt64
    private let isClosed = Atomic<Bool>(false)

    private var source: any EventSource { feed.source }
    private var query: EventQuery { view.query }

    /// Registers the stream. Its position is taken here, so that no later event is missed; or when the source is current.
    ///
    /// - Parameters:
    ///   - start: decides where the stream begins; called once the source is current.
    ///   - isFollowing: whether it waits for new events; otherwise it ends with the last event of now.
    init(
        feed: EventRenderCache,
        query: EventQuery,
        start: @escaping @Sendable () -> StreamStart,
        isSnapshotWanted: Bool,
        isFollowing: Bool = true,
        version: String,
        clock: any WallClock
    ) {
        self.feed = feed
        self.version = version
        self.clock = clock
        self.isFollowing = isFollowing
        view = feed.open(query)
        ticket = feed.source.beginFollowing()
        state = Mutex(
            State(
                phase: .waiting(start),
                livePosition: feed.source.livePosition,
                isSnapshotWanted: isSnapshotWanted,
                isInitialWanted: query.wantsChanges && query.options.contains(.initial)
            )
        )
        state.withLock { beginWhenCurrent(&$0) }
    }

    /// Takes the position if the source is current.
    private func beginWhenCurrent(_ state: inout State) {
        guard case .waiting(let start) = state.phase, source.isCurrent(since: ticket) else { return }
        // Taken before any position, so that a position of another log is noticed.
        (state.numbering, state.epoch) = (source.numbering, source.position.epoch)
        state.phase = .opening
        switch start() {
        case .now:
            state.position = source.sequence
        case .since(let position):
            (state.position, state.resumedAt) = (position, position)
        case .resumed(let position):
            // The same observation resumes: its initial values were sent on the previous connection.
            (state.position, state.resumedAt) = (position, position)
            state.isSnapshotWanted = false
            state.isInitialWanted = false
        case .reset(let reason, let requested):
            state.position = source.sequence
            state.reset = (reason, requested)
            state.isSnapshotWanted = true
        }
        if !isFollowing { state.end = source.sequence }
    }

    deinit {
        didEnd()
    }

    /// A keep-alive comment with the position, for clients that reconnect: with a narrow filter their last id might no
    /// longer be kept.
    var heartbeat: [UInt8] {
        state.withLock { state in
            guard case .live = state.phase, state.numbering == source.numbering else {
                return Array(": heartbeat\n\n".utf8)
            }
            return Array(": heartbeat\nid: \(id(state.position))\n\n".utf8)
        }
    }

    func next() -> StreamChunk {
        state.withLock { state in
            beginWhenCurrent(&state)
            if case .waiting = state.phase { return .idle }
            if state.numbering != source.numbering { begin(again: &state) }
            switch state.phase {
            case .waiting: return .idle
            case .opening: return .bytes(opening(&state))
            case .paging(let pager, let resumingAt):
                return page(pager, resumingAt: resumingAt, &state).map { .bytes($0) } ?? .idle
            case .live:
                if let end = state.end, state.position >= end { return .end([]) }
                return live(&state)
            }
        }
    }

    func didEnd() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        source.endFollowing()
        feed.close(view)
    }

    /// The log of the positions was replaced by another one, with other events for the same numbers.
    private func begin(again state: inout State) {
        state.reset = (.foreignEpoch, EventID(epoch: state.epoch, sequence: state.position).description)
        state.numbering = source.numbering
        (state.epoch, state.position) = (source.position.epoch, source.position.sequence)
        state.coveredThrough = 0
        if !isFollowing { state.end = state.position }
        state.isSnapshotWanted = true
        if case .opening = state.phase { return }
        state.phase = .paging(SnapshotPager(), resumingAt: nil)
    }

    // MARK: Chunks

    private func opening(_ state: inout State) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("retry: 3000\n")
        let hasPages = state.isSnapshotWanted || state.isInitialWanted
        let newest = source.position
        writer.block("hello", id: hasPages ? nil : id(state.position), format: query.format) {
            $0.member("epoch", newest.epoch)
            $0.member("sequence", newest.sequence)
            $0.member("server_time", clock.now())
            $0.member("version", version)
        }
        state.phase =
            hasPages ? .paging(SnapshotPager(), resumingAt: state.reset == nil ? state.resumedAt : nil) : .live
        return writer.bytes
    }

    /// The next page of the snapshot; nil while it is being read.
    private func page(_ pager: SnapshotPager, resumingAt: UInt64?, _ state: inout State) -> [UInt8]? {
        var pager = pager
        let page = pager.page(of: feed.snapshots, query: query, needsChanges: state.isInitialWanted)
        guard let page else {
            state.phase = .paging(pager, resumingAt: resumingAt)
            return nil
        }
        let goesOnAt = resumingAt ?? pager.position ?? state.position
        let isLast = page.next == nil
        var writer = JSONWriter(reserving: 4096)
        if let reset = state.reset {
            writer.block("reset", id: nil, format: query.format) {
                $0.member("reason", reset.reason.rawValue)
                $0.member("requested", String(reset.requested.prefix(128)))
                $0.member("resumes_after", id(goesOnAt).description)
            }
            state.reset = nil
        }
        if state.isSnapshotWanted {
            let isLastBlock = isLast && page.changes.isEmpty
            writer.block("snapshot", id: isLastBlock ? id(goesOnAt) : nil, format: query.format) {
                page.writeMembers(&$0, pager.total, clock.now())
            }
        }
        for (index, change) in page.changes.enumerated() {
            let isLastBlock = isLast && index == page.changes.count - 1
            writer.block("change", id: isLastBlock ? id(goesOnAt) : nil, format: query.format) {
                change.write(to: &$0, options: query.options, at: nil)
            }
        }
        if isLast {
            state.position = goesOnAt
            state.coveredThrough = max(state.coveredThrough, pager.position ?? 0)
            state.isSnapshotWanted = false
            state.isInitialWanted = false
            state.phase = .live
        } else {
            state.phase = .paging(pager, resumingAt: resumingAt)
        }
        return writer.bytes
    }

    private func live(_ state: inout State) -> StreamChunk {
        switch feed.next(after: state.position, view: view, fetchStored: &state.fetchStored) {
        case .nothing:
            return state.end == nil ? transient(&state) : .end([])
        case .later:
            return .idle
        case .batch(let batch):
            state.position = batch.next
            // Even if the client's filter excludes everything in it: a whole log may precede the next match, and other
            // streams wait.
            return .bytes(batch.bytes)
        case .lost(let oldest):
            return .bytes(lagged(&state, oldest: oldest))
        }
    }

    /// Results and activity: sent only after all stored events, and only once.
    private func transient(_ state: inout State) -> StreamChunk {
        while let batch = feed.live(after: state.livePosition, view: view) {
            state.livePosition = batch.next
            guard batch.missed == 0 || !query.includesResults else {
                var writer = JSONWriter()
                writer.block("lagged", id: nil, format: query.format) {
                    $0.member("missed", batch.missed)
                    $0.member("of", "result")
                }
                return .bytes(writer.bytes + batch.bytes)
            }
            if !batch.bytes.isEmpty { return .bytes(batch.bytes) }
        }
        return .idle
    }

    /// The stream continues at the oldest kept event; a snapshot comes first unless one covers the gap.
    private func lagged(_ state: inout State, oldest: UInt64) -> [UInt8] {
        let needsSnapshot = state.coveredThrough < oldest - 1
        var writer = JSONWriter()
        writer.block("lagged", id: needsSnapshot ? nil : id(oldest - 1), format: query.format) {
            $0.member("missed", oldest - 1 - state.position)
            $0.member("last", id(state.position).description)
            $0.member("resumes_after", id(oldest - 1).description)
            $0.member("snapshot_follows", needsSnapshot)
        }
        state.position = oldest - 1
        if needsSnapshot {
            state.isSnapshotWanted = true
            state.phase = .paging(SnapshotPager(), resumingAt: oldest - 1)
        }
        return writer.bytes
    }

    /// The id of a position. Whatever is visible in one epoch is also valid in later ones, so that the epoch may be
    /// read later.
    private func id(_ sequence: UInt64) -> EventID { EventID(epoch: source.epoch, sequence: sequence) }
}

/// The start of a stream.
enum StreamStart {
    /// With the next event.
    case now
    /// After an event that the client named in the query.
    case since(UInt64)
    /// After the last event that the client received on the previous connection.
    case resumed(UInt64)
    /// After a snapshot, because the stream cannot resume at the event that the client named.
    case reset(ResetReason, requested: String)

    /// - Parameters:
    ///   - id: the event that the client named.
    ///   - text: how it named it.
    ///   - log: what the log has.
    ///   - found: the start after an event that the log has.
    init(at id: EventID, text: String, in log: LogExtent, found: (UInt64) -> StreamStart) {
        let reason = Self.fault(of: id, epoch: log.epoch, oldest: log.oldest, head: log.newest)
        self = reason.map { .reset($0, requested: text) } ?? found(id.sequence)
    }

    /// Why a stream cannot resume after an id; nil if it can.
    static func fault(of id: EventID, epoch: String, oldest: UInt64, head: UInt64) -> ResetReason? {
        if id.epoch != epoch { return .foreignEpoch }
        if id.sequence > head { return .future }
        return id.sequence < oldest - 1 ? .expired : nil
    }
}

/// Why a stream could not resume at the client's id; raw values are the HTTP contract's.
enum ResetReason: String, CaseIterable {
    /// The id is from another run of the log.
    case foreignEpoch = "foreign_epoch"
    /// Events after the id are no longer kept.
    case expired
    /// No event has that number yet.
    case future
    /// The text is not an id.
    case malformed
}
