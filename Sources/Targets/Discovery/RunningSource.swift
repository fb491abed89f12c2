// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Discovery
import LinuxIO
import Monitoring
import NetworkPaths
import Synchronization

/// A source that runs, and the targets of its last used report. On the control loop.
final class RunningSource {
    private(set) var targets: SourceTargets
    /// The error of the last report; nil if it was used, and before the first.
    private(set) var error: SourceError?
    private let loop: EventLoop
    private let reported: (RunningSource) -> Void
    private var source: any DiscoverySource
    private var mailbox = SourceMailbox()
    /// The items of a report for which there was no room, to try again.
    private var refused: [DiscoveredItem]?

    /// Creates a source that does not run yet.
    ///
    /// - Parameter reported: called after a report, which ``take(room:)`` then evaluates.
    init(
        _ declaration: DeclaredSource,
        nameEvaluation: PathRequest.NameEvaluation,
        loop: EventLoop,
        reported: @escaping (RunningSource) -> Void
    ) {
        targets = SourceTargets(declaration, nameEvaluation: nameEvaluation)
        self.loop = loop
        self.reported = reported
        source = declaration.settings.makeSource()
    }

    /// Starts to look.
    func start() {
        let mailbox = mailbox
        let running = ThreadConfined(self, to: loop)
        source.start { [loop] report in
            // Further reports until then are one.
            guard mailbox.put(report) else { return }
            loop.execute {
                let running = running.value
                if running.mailbox === mailbox { running.reported(running) }
            }
        }
    }

    /// Stops; later reports are ignored.
    func stop() {
        mailbox = SourceMailbox()
        source.stop()
    }

    /// Applies another declaration. A source with other settings starts again, and keeps its targets until its first answer.
    func apply(
        _ declaration: DeclaredSource,
        nameEvaluation: PathRequest.NameEvaluation,
        room: Int
    ) -> [LogMessage] {
        let isSame = declaration.isSame(as: targets.declaration)
        let outcome = targets.apply(declaration, nameEvaluation: nameEvaluation, room: room)
        if !isSame {
            stop()
            refused = nil
            source = declaration.settings.makeSource()
            start()
        }
        return messages(outcome)
    }

    /// Evaluates the reports since the last call.
    ///
    /// - Parameter room: the maximum number of targets.
    /// - Returns: messages for the operator.
    func take(room: Int) -> [LogMessage] {
        guard let report = mailbox.take() else { return [] }
        var messages = report.notes
        var failure = report.error
        if let items = report.items ?? refused {
            let outcome = targets.take(items, room: room)
            refused = outcome.error == nil ? nil : items
            failure = outcome.error ?? failure
            messages += self.messages(outcome)
        }
        if let failure, failure.code != error?.code {
            let count = targets.targets.count
            messages.append(
                LogMessage(
                    .warning,
                    "a discovery source failed; its \(count) targets remain: \(failure.words)",
                    facts: facts.merging(["code": failure.code.rawValue]) { $1 }
                )
            )
        } else if failure == nil, error != nil {
            messages.append(LogMessage(.info, "a discovery source works again", facts: facts))
        }
        error = failure
        return messages
    }

    private func messages(_ outcome: SourceTargets.Outcome) -> [LogMessage] {
        outcome.faults.map { LogMessage(.error, "a discovered target was rejected: \($0)", facts: facts) }
            + outcome.notes.map { LogMessage($0.level, $0.text, facts: facts) }
    }

    private var facts: [String: String] {
        ["source": targets.declaration.name, "kind": targets.declaration.kind]
    }
}

/// The reports of a source that were not evaluated yet, as one.
private final class SourceMailbox: Sendable {
    private let report = Mutex<SourceReport?>(nil)

    /// Adds a report. Any thread.
    ///
    /// - Returns: whether there was none.
    func put(_ new: SourceReport) -> Bool {
        report.withLock { report in
            guard let old = report else {
                report = new
                return true
            }
            report = SourceReport(
                items: new.items ?? old.items,
                error: new.error,
                notes: Array((old.notes + new.notes).suffix(100))
            )
            return false
        }
    }

    /// Takes what was added.
    func take() -> SourceReport? {
        report.withLock { report in
            defer { report = nil }
            return report
        }
    }
}
