// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import JSON
import Monitoring
import Synchronization

/// A page that is being read from the fleet's database.
final class SnapshotReading: Sendable {
    private let outcome = Mutex<Result<FleetTargetPage, FleetFault>?>(nil)

    /// The result; nil while it is being read.
    var result: Result<FleetTargetPage, FleetFault>? { outcome.withLock { $0 } }

    func complete(with result: Result<FleetTargetPage, FleetFault>) { outcome.withLock { $0 = result } }
}

/// The targets of the fleet.
struct FleetSnapshots: SnapshotSource {
    let reader: FleetReader
    let wakeStreams: @Sendable () -> Void

    func page(_ request: SnapshotRequest, reading: inout SnapshotReading?) -> SnapshotPage? {
        if reading == nil { reading = read(request) }
        switch reading?.result {
        case nil: return nil
        case .failure?:
            // Read again when the log can be read again, which wakes the streams.
            reading = nil
            return nil
        case .success(let page)?: return Self.page(page, request)
        }
    }

    private func read(_ request: SnapshotRequest) -> SnapshotReading {
        let reading = SnapshotReading()
        reader.targets(
            FleetTargetFilter(request.query.filter),
            after: request.after,
            limit: request.limit,
            isCounted: request.isFirst
        ) { [wakeStreams] result in
            reading.complete(with: result)
            if case .success = result { wakeStreams() }
        }
        return reading
    }

    private static func page(_ page: FleetTargetPage, _ request: SnapshotRequest) -> SnapshotPage {
        let changes = page.targets.flatMap { target in
            request.query.keys.map { key in
                let state = Array("\"\(target.state.rawValue)\"".utf8)
                return KeyValueChange(key: key, subject: target.id, old: nil, new: .rendered(state), isPrior: false)
            }
        }
        return SnapshotPage(
            sequence: page.version.sequence,
            total: page.total ?? 0,
            next: page.next,
            changes: request.needsChanges ? changes : []
        ) { writer, total, now in
            writer.member("scope", ReportScope.fleet.rawValue)
            writer.fleetListMembers(page, total: total)
            writer.member("generated_at", now)
        }
    }
}

extension FleetTargetFilter {
    init(_ filter: TargetFilter) {
        self.init()
        ids = filter.ids
        tags = filter.tags.map { "\($0.name):\($0.value)" }.sorted()
        groups = filter.groups
        states = Set(filter.states)
        text = filter.text
    }
}
