// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL

/// Reads the targets of a node's shards: all of them after its shards or the epoch of the fleet's log changed, else those that
/// changed. On one event loop's thread.
final class OwnTargetReader {
    /// Called with all targets when they may have changed, or the node's shards.
    var changed: (OwnTargets) -> Void = { _ in }
    /// Called with messages for the log.
    var log: (LogMessage) -> Void = { _ in }

    private let node: String
    private let executor: any StatementExecutor
    /// What was read last, and the version of the declarations and the run of the fleet's log that it is of at least.
    private var known: (targets: OwnTargets, version: Int64, epoch: String)?
    /// Whether ``known`` may lack targets that did not change, because it is of other shards.
    private var isOutdated = true
    /// Numbers the readings: the answers of an earlier one are discarded.
    private var reading = 0
    private var isReading = false

    /// Creates a reader that has read nothing.
    init(node: String, executor: any StatementExecutor) {
        self.node = node
        self.executor = executor
    }

    /// Reads what is newer than what was read last, unless a reading is in progress. A failure is repeated with the next call.
    ///
    /// - Parameters:
    ///   - version: the version of the declarations.
    ///   - epoch: the run of the fleet's log.
    func update(to version: Int64, epoch: String) {
        guard !isReading else { return }
        if !isOutdated, let known, known.epoch == epoch, known.version <= version {
            guard known.version < version else { return }
            begin()
            readChanges(known.targets, since: known.version, to: version, epoch: epoch)
        } else {
            begin()
            readPage(OwnTargets(), version: version, epoch: epoch)
        }
    }

    /// The node's shards changed.
    func shardsChanged() {
        disconnected()
        isOutdated = true
    }

    /// The connection ended. If another one leads to a database that lost data, the log has a new epoch.
    func disconnected() {
        reading += 1
        isReading = false
    }

    private func begin() {
        reading += 1
        isReading = true
    }

    private func readChanges(_ list: OwnTargets, since old: Int64, to version: Int64, epoch: String) {
        ask(OwnTargets.changes(of: node, since: old)) { [weak self] changes in
            guard let self else { return }
            var list = list
            guard list.merge(changes) else { return readPage(OwnTargets(), version: version, epoch: epoch) }
            finish(list, version: version, epoch: epoch, isChanged: changes.rows?.isEmpty == false)
        }
    }

    private func readPage(_ list: OwnTargets, version: Int64, epoch: String) {
        ask(OwnTargets.page(of: node, after: list.last)) { [weak self] page in
            guard let self else { return }
            var list = list
            list.append(page)
            guard page.count == Int(OwnTargets.pageLength) else {
                return finish(list, version: version, epoch: epoch, isChanged: true)
            }
            readPage(list, version: version, epoch: epoch)
        }
    }

    private func ask<Answer>(_ question: FleetQuestion<Answer>, then next: @escaping (Answer) -> Void) {
        let number = reading
        executor.ask(question) { [weak self] result in
            guard let self, number == reading else { return }
            switch result {
            case .success(let answer): next(answer)
            case .failure(let error):
                isReading = false
                log(
                    LogMessage(
                        .warning,
                        "cannot read the targets that are assigned to this node",
                        facts: ["code": error.reason.rawValue, "error": error.message]
                    )
                )
            }
        }
    }

    private func finish(_ list: OwnTargets, version: Int64, epoch: String, isChanged: Bool) {
        (isReading, isOutdated) = (false, false)
        known = (list, version, epoch)
        if isChanged { changed(list) }
    }
}
