// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL

/// Reads the commands for a node's targets after renewals of its lease that announce some. On the loop's thread.
final class CommandReader {
    private static let pruneInterval: UInt64 = 60_000_000_000

    private let loop: EventLoop
    private let node: String
    private let execute: @Sendable ([TargetCommand]) -> Void
    private var ledger = CommandLedger()
    private var targets: Set<String> = []
    private var isReading = false
    private var nextPruning: UInt64 = 0

    /// Receives messages for the operator.
    var log: (LogMessage) -> Void = { _ in }

    /// - Parameters:
    ///   - loop: the loop.
    ///   - node: the node's name.
    ///   - execute: carries commands out, in order; must not block.
    init(loop: EventLoop, node: String, execute: @escaping @Sendable ([TargetCommand]) -> Void) {
        self.loop = loop
        self.node = node
        self.execute = execute
    }

    /// The node has these targets, which were put in force before.
    ///
    /// - Parameter heartbeats: the last ones of targets that it did not have.
    func hold(_ targets: some Sequence<String>, heartbeats: [TargetCommand] = []) {
        self.targets = Set(targets)
        ledger.targetsChanged()
        for heartbeat in heartbeats { ledger.note(heartbeat, at: loop.clock.now()) }
        if !heartbeats.isEmpty { execute(heartbeats) }
    }

    /// The commands are those of another database: their numbers say nothing about earlier ones.
    func forget() {
        ledger = CommandLedger()
        ledger.targetsChanged()
    }

    /// The connection ended: its answers are not awaited any more.
    func disconnected() { isReading = false }

    /// The lease was renewed.
    ///
    /// - Parameters:
    ///   - newest: the number of the newest command.
    ///   - isPruning: whether this node deletes old commands.
    func renewed(_ newest: Int64, isPruning: Bool, on session: FleetSession) {
        let now = loop.clock.now()
        if isPruning, newest > 0, now >= nextPruning {
            nextPruning = now + Self.pruneInterval
            session.execute(TargetCommand.prune, []) { [weak self] result in
                if case .failure(let error) = result { self?.report("cannot delete old commands of the fleet", error) }
            }
        }
        guard !isReading, ledger.shouldLook(newest, at: now), !targets.isEmpty else { return }
        isReading = true
        read(after: ledger.position, before: [], on: session)
    }

    private func read(after id: Int64, before: [TargetCommand], on session: FleetSession) {
        session.ask(TargetCommand.read(for: node, after: id)) { [weak self, weak session] result in
            guard let self, let session, isReading else { return }
            switch result {
            case .failure(let error):
                isReading = false
                report("cannot read the commands for the fleet's targets", error)
            case .success(let commands):
                let found = before + commands
                if commands.count == TargetCommand.pageLength, let last = commands.last {
                    return read(after: last.id, before: found, on: session)
                }
                isReading = false
                let due = ledger.take(found, at: loop.clock.now(), isKnown: targets.contains)
                if !due.isEmpty { execute(due) }
            }
        }
    }

    private func report(_ words: String, _ error: DatabaseError) {
        log(LogMessage(.warning, words, facts: ["code": error.reason.rawValue, "error": error.message]))
    }
}
