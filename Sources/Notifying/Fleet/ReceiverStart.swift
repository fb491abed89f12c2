// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import LinuxIO
import Monitoring

/// Reads what a receiver needs to continue on this node: its place, the incidents that are open and those that it was notified of, and for
/// an Alertmanager what was wrong with the targets that had an alert. On the loop's thread.
final class ReceiverStart {
    let grant: ReceiverGrant
    let settings: ReceiverSettings
    private let incidents: FleetIncidentCopy
    /// The machine that continues; nil before everything was read, and when something could not be.
    private(set) var machine: (any ReceiverMachine)?
    /// The run of the log that the place belongs to.
    private(set) var epoch = ""
    private var place = ReceiverOffset(floor: 0)
    private var newest: UInt64 = 0
    /// The targets that are still to be read.
    private var remaining: ArraySlice<String> = []
    private var problems: [StateChange] = []
    private var targets: [String: ReceiverTarget] = [:]

    /// - Parameter incidents: takes the incidents.
    init(_ grant: ReceiverGrant, _ settings: ReceiverSettings, _ incidents: FleetIncidentCopy) {
        self.grant = grant
        self.settings = settings
        self.incidents = incidents
    }

    /// Reads.
    ///
    /// - Parameter completion: called once, on the loop's thread.
    func read(
        _ receivers: any ReceiverAssignments,
        _ reader: any ReceiverSource,
        _ loop: EventLoop,
        completion: @escaping () -> Void
    ) {
        let confined = ThreadConfined((start: self, completion: completion), to: loop)
        receivers.position(of: grant) { result in
            loop.execute {
                let (start, completion) = confined.value
                guard case .success(let position?) = result else { return completion() }
                start.take(position)
                let selection = start.incidents.wholeSelection(start.place.notices.keys)
                reader.incidents(selection) { found in
                    loop.execute {
                        let (start, completion) = confined.value
                        guard let found else { return completion() }
                        start.incidents.take(found, of: selection)
                        Self.readTargets(confined, reader, loop)
                    }
                }
            }
        }
    }

    private func take(_ position: ReceiverPosition) {
        (epoch, newest) = (position.epoch, position.newest)
        let stored = position.progress.flatMap { StoredProgress.read($0, changes: position.changes) }
        // A database that was restored may have lost events.
        place = (stored ?? ReceiverOffset(floor: position.consumed)).cut(behind: newest)
        remaining = (place.open?.problems.keys.sorted() ?? [])[...]
    }

    private static func readTargets(
        _ confined: ThreadConfined<(start: ReceiverStart, completion: () -> Void)>,
        _ reader: any ReceiverSource,
        _ loop: EventLoop
    ) {
        let (start, completion) = confined.value
        let ids = Array(start.remaining.prefix(ReceiverTarget.limit))
        guard !ids.isEmpty else {
            start.finish()
            return completion()
        }
        start.remaining = start.remaining.dropFirst(ids.count)
        let floor = start.place.mark.floor
        reader.targets(ids) { targets in
            reader.problems(of: ids, through: floor) { problems in
                loop.execute {
                    let (start, completion) = confined.value
                    guard let targets, let problems else { return completion() }
                    start.targets.merge(targets) { _, new in new }
                    start.problems += problems.compactMap { event in
                        var change = StateChange(event, epoch: start.epoch)
                        change?.name = targets[event.target ?? ""]?.name
                        return change
                    }
                    readTargets(confined, reader, loop)
                }
            }
        }
    }

    private func finish() {
        let known = Set(place.open?.problems.keys.map(\.self) ?? [])
        // Events say what became of the targets that they are about, from here on.
        let reported = ReportedTargets(beginning: newest) {
            [targets, filter = settings.filter] id in
            guard known.contains(id) else { return nil }
            guard let target = targets[id] else { return .removed }
            return filter.routes(id, group: target.group, tags: target.tags) ? nil : .unrouted
        }
        machine = settings.machine(
            from: place,
            incidents: ReceiverIncidents(incidents),
            transitions: { problems.sorted { $0.sequence < $1.sequence } },
            reported: { reported }
        )
    }
}
