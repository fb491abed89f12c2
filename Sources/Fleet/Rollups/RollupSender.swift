// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL

/// Stores the completed buckets of the node's own history in the fleet's database. On one event loop's thread.
///
/// The node's history is what is sent; the database has the position. So what could not be sent follows later, also after a restart, and
/// what is sent again changes nothing. Buckets of earlier times are not sent by a node without a position: those belong to a node that
/// was not in the fleet.
final class RollupSender {
    /// What became of it.
    struct Status: Sendable, Hashable {
        /// Buckets of targets that were stored by this run.
        var stored: UInt64 = 0
        /// Completed hours and days that are not wholly stored.
        var waiting: UInt64 = 0
    }

    /// How many targets one statement has at most, and how many bytes of data: a renewal of the lease may wait for it.
    static let pageLength = 1_000
    static let pageBytes = 256 << 10
    /// Nanoseconds between two statements, and after a failure.
    static let pause: UInt64 = 5_000_000_000
    static let retry: UInt64 = 60_000_000_000
    /// Milliseconds after the end of a bucket in which the node's history completes it.
    static let margin: Int64 = 60_000
    /// Milliseconds over which nodes spread what they send after the end of a bucket.
    static let spread: Int64 = 600_000
    /// Milliseconds after which a month without a partition will not have one.
    private static let partitionAge: Int64 = 40 * 86_400_000
    /// Milliseconds by which a position may be in the future: the node's clock may have been set back.
    private static let futureLimit: Int64 = 2 * 86_400_000

    private let loop: EventLoop
    private let executor: any StatementExecutor
    private let source: any NodeRollupSource
    private let wall: any WallClock
    /// This node's share of the spread.
    private let delay: Int64
    /// No work before this time of the loop's clock.
    private var next: UInt64 = 0
    /// Increases with each connection and epoch: answers to earlier questions are not awaited any more.
    private var generation = 0
    private(set) var isBusy = false
    /// Up to where all is stored, in milliseconds since 1970; nil until it was read.
    private var positions: [RollupLength: Int64]?
    /// The bucket that is partly stored, and where its next page begins.
    private var rest: (length: RollupLength, start: Int64, place: Int64)?
    private var hasFailed = false
    private(set) var status = Status()

    /// Receives messages for the operator.
    var log: (LogMessage) -> Void = { _ in }

    init(
        loop: EventLoop,
        executor: any StatementExecutor,
        source: any NodeRollupSource,
        wall: any WallClock = SystemWallClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        (self.loop, self.executor, self.source, self.wall) = (loop, executor, source, wall)
        var random = random
        delay = Self.margin + Int64.random(in: 0..<Self.spread, using: &random)
    }

    /// The connection ended, or leads to a database with another past: the positions may be others.
    func restart() {
        generation += 1
        (isBusy, positions, rest) = (false, nil, nil)
    }

    /// Does what is due: one statement at most. To be called with each renewal of the lease.
    ///
    /// - Parameters:
    ///   - setting: what nodes store.
    ///   - time: how long the fleet keeps it.
    ///   - node: the node's registered run.
    func continueWork(_ setting: RollupSetting, keeping time: Duration, as node: NodeIdentity) {
        guard !isBusy, loop.clock.now() >= next else { return }
        guard !setting.lengths.isEmpty else { return status.waiting = 0 }
        guard positions != nil else { return readPositions(of: node) }
        let now = wall.now().milliseconds
        let oldest = now - time.components.seconds * 1_000
        status.waiting = 0
        for length in setting.lengths { settle(length, now: now, oldest: oldest) }
        for length in setting.lengths {
            guard let start = positions?[length] else {
                let start = length.start(of: now)
                return store(length, start, NodeRollupPage(targets: [], data: [], next: nil), through: start, node)
            }
            if start + length.milliseconds + delay <= now { return read(length, start, node) }
        }
    }

    /// Keeps a position within what can be sent.
    private func settle(_ length: RollupLength, now: Int64, oldest: Int64) {
        guard let position = positions?[length] else { return }
        let present = length.start(of: now)
        var start = length.start(of: max(position, oldest))
        if start > present + Self.futureLimit { start = present }
        if start != position { positions?[length] = start }
        status.waiting += UInt64(max(0, present - start) / length.milliseconds)
    }

    // MARK: Steps

    private func readPositions(of node: NodeIdentity) {
        execute(RollupStatements.positions, [.text(node.name)]) { sender, rows in
            var positions: [RollupLength: Int64] = [:]
            for row in 0..<rows.rowCount {
                guard let length = try? rows.integer(row, 0), let length = RollupLength(stored: length),
                    let through = try? rows.integer(row, 1)
                else { continue }
                positions[length] = through / 1_000
            }
            sender.positions = positions
        }
    }

    private func read(_ length: RollupLength, _ start: Int64, _ node: NodeIdentity) {
        isBusy = true
        let place = rest.flatMap { ($0.length, $0.start) == (length, start) ? $0.place : nil }
        let asked = generation
        let sender = ThreadConfined(Reference(self), to: loop)
        source.read(length, start: start, after: place, limit: Self.pageLength, bytes: Self.pageBytes) {
            [loop] answer in
            loop.execute {
                guard let sender = sender.value.sender, sender.generation == asked else { return }
                sender.isBusy = false
                sender.take(answer, length, start, node)
            }
        }
    }

    private final class Reference {
        weak let sender: RollupSender?

        init(_ sender: RollupSender) { self.sender = sender }
    }

    private func take(_ answer: NodeRollupAnswer, _ length: RollupLength, _ start: Int64, _ node: NodeIdentity) {
        switch answer {
        case .incomplete: next = loop.clock.now() + Self.retry
        case .unreadable(let reason): fail("cannot read this node's history for the fleet", ["error": reason])
        case .page(let page) where page.targets.isEmpty:
            // No statement: after days without targets there are many of them.
            proceed(length, start, page.next)
        case .page(let page):
            store(length, start, page, through: page.next == nil ? start + length.milliseconds : nil, node)
        }
    }

    private func store(
        _ length: RollupLength,
        _ start: Int64,
        _ page: NodeRollupPage,
        through: Int64?,
        _ node: NodeIdentity
    ) {
        let parameters: [DatabaseValue] = [
            .text(node.name), .integer(node.incarnation), .integer(length.stored), .integer(start * 1_000),
            .texts(page.targets), .byteArrays(page.data), through.map { .integer($0 * 1_000) } ?? .null,
        ]
        execute(RollupStatements.store, parameters) { sender, rows in
            guard let hasPartition = try? rows.bool(0, 0), let isCurrent = try? rows.bool(0, 1) else { return }
            guard isCurrent else { return sender.next = sender.loop.clock.now() + Self.retry }
            guard hasPartition || sender.wall.now().milliseconds - start > Self.partitionAge else {
                return sender.fail("the fleet's database has no partition for what this node stores", [:])
            }
            sender.status.stored += UInt64(clamping: (try? rows.integer(0, 2)) ?? 0)
            if through == start { sender.positions?[length] = start } else { sender.proceed(length, start, page.next) }
            sender.hasFailed = false
        }
    }

    /// All of a bucket up to a place is stored, or there was nothing to store; nil for all of it.
    private func proceed(_ length: RollupLength, _ start: Int64, _ place: Int64?) {
        rest = place.map { (length, start, $0) }
        if place == nil { positions?[length] = start + length.milliseconds }
    }

    private func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        completion: @escaping (RollupSender, DatabaseRows) -> Void
    ) {
        isBusy = true
        next = loop.clock.now() + Self.pause
        let asked = generation
        executor.execute(statement, parameters) { [weak self] result in
            guard let self, generation == asked else { return }
            isBusy = false
            switch result {
            case .success(let rows): completion(self, rows)
            case .failure(let error):
                fail(
                    "cannot store this node's rollups in the fleet's database",
                    ["code": error.reason.rawValue, "error": error.message]
                )
            }
        }
    }

    private func fail(_ words: String, _ facts: [String: String]) {
        next = loop.clock.now() + Self.retry
        if !hasFailed { log(LogMessage(.warning, "\(words); trying again each minute", facts: facts)) }
        hasFailed = true
    }
}
