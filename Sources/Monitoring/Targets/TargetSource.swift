// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Targets with their states, in the order of their ordinals: a node's own, which is ``Registry``, or a fleet's.
///
/// All members may be used on any thread and do not wait.
package protocol TargetSource: AnyObject, Sendable {
    /// The name of the numbering of ordinals and versions, in cursors and validators.
    var run: String { get }

    /// Changes after every change that a reader can see.
    var version: UInt64 { get }

    /// The counts and the network, of one moment; constant cost.
    var overview: RegistryOverview { get }

    /// Returns the record of a target; nil for an unknown id.
    func target(_ id: String) -> StatusRecord?

    /// Returns the targets with these ids that exist, in order.
    func targets(_ ids: Set<String>) -> TargetPage

    /// Returns the targets after an ordinal, in order.
    ///
    /// - Parameters:
    ///   - ordinal: That of the last target that the reader knows; 0 for the beginning.
    ///   - limit: The maximum number of targets.
    func page(after ordinal: UInt64, limit: Int) -> TargetPage

    /// Returns the records of the targets as they were after an event, in no order, as far as memory has later events.
    ///
    /// - Parameter sequence: The number of the event.
    func records(asOf sequence: UInt64) -> [StatusRecord]
}

extension TargetSource {
    /// The current records of all targets, in order.
    package var records: [StatusRecord] {
        var records: [StatusRecord] = []
        var ordinal: UInt64 = 0
        while true {
            let page = page(after: ordinal, limit: 1_000)
            records += page.records
            guard !page.isLast, let last = page.records.last?.target?.ordinal else { return records }
            ordinal = last
        }
    }
}

extension Registry: TargetSource {
    package func records(asOf sequence: UInt64) -> [StatusRecord] {
        let current = records.compactMap { record in (record.target?.settings.id).map { ($0, record) } }
        var records = Dictionary(current) { _, last in last }
        for event in changes(after: sequence, limit: .max).events.reversed() {
            switch event.content {
            case .state(let record, let previous): if let id = record.target?.settings.id { records[id] = previous }
            case .target(.added, let record): if let id = record.target?.settings.id { records[id] = nil }
            case .target(.removed, let record): if let id = record.target?.settings.id { records[id] = record }
            case .target(.updated, _), .reachability, .path, .certificate, .routeChange, .config, .incident: break
            }
        }
        return Array(records.values)
    }
}
