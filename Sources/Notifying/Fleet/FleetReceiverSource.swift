// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Fleet
package import Monitoring

/// The receivers that a fleet assigned to this node, and their offsets: ``FleetReceivers``, or a test's imitation. Any thread.
package protocol ReceiverAssignments: Sendable {
    /// The location of this node.
    var location: String { get }
    /// The receivers of this node as the last renewal of its lease reported them.
    var grants: [ReceiverGrant] { get }
    /// Whether the node may send for the fleet.
    var isLeaseValid: Bool { get }
    /// Whether the node may notify of what it sees itself.
    var isCutOff: Bool { get }
    /// The position of the node's own log, without its numbering, from which on it notifies while it is cut off.
    var baseline: Int64 { get }
    /// Whether this node is the one to notify of a target while it is cut off.
    func isHeld(_ target: String) -> Bool
    /// Adds a closure that is called after each renewal and when the node is cut off; it must not block.
    func onChange(_ listener: @escaping @Sendable () -> Void)
    /// Replaces the receivers that the node can serve.
    func offer(_ offers: [ReceiverOffer])
    /// Reads where a receiver is to be continued; nil when it is not this node's any more.
    func position(
        of grant: ReceiverGrant,
        completion: @escaping @Sendable (Result<ReceiverPosition?, FleetFault>) -> Void
    )
    /// Stores how far receivers were served, and returns the names of those whose offset is stored.
    func store(
        _ offsets: [ReceiverProgress],
        epoch: String,
        completion: @escaping @Sendable (Result<Set<String>, FleetFault>) -> Void
    )
}

extension FleetReceivers: ReceiverAssignments {}

/// What receivers need of a fleet's database besides: ``FleetReader``, or a test's imitation. Any thread; completions are called once,
/// with nil when the database cannot be read.
package protocol ReceiverSource: Sendable {
    /// The fleet's log.
    var events: any EventSource { get }
    /// Reads earlier events of the log.
    func recall(
        after sequence: UInt64,
        limit: Int,
        completion: @escaping @Sendable (EventSlice<RecordedEvent>?) -> Void
    )
    /// Reads the targets with these ids that are declared, at most ``ReceiverTarget/limit``.
    func targets(_ ids: [String], completion: @escaping @Sendable ([String: ReceiverTarget]?) -> Void)
    /// Reads incidents.
    func incidents(
        _ selection: ReceiverIncident.Selection,
        completion: @escaping @Sendable ([ReceiverIncident]?) -> Void
    )
    /// Reads what was wrong with some targets after an event.
    func problems(
        of targets: [String],
        through sequence: UInt64,
        completion: @escaping @Sendable ([RecordedEvent]?) -> Void
    )
    /// Reads what is wrong now.
    func currentProblems(completion: @escaping @Sendable ([RecordedEvent]?) -> Void)
}

extension FleetReader: ReceiverSource {
    /// The fleet's log.
    package var events: any EventSource { log }

    /// Reads earlier events of the log.
    package func recall(
        after sequence: UInt64,
        limit: Int,
        completion: @escaping @Sendable (EventSlice<RecordedEvent>?) -> Void
    ) {
        log.recall(after: sequence, limit: limit, completion: completion)
    }

    /// Reads the targets with these ids that are declared.
    package func targets(_ ids: [String], completion: @escaping @Sendable ([String: ReceiverTarget]?) -> Void) {
        ask(ReceiverTarget.question(ids)) { completion(try? $0.get()) }
    }

    /// Reads what was wrong with some targets after an event.
    package func problems(
        of targets: [String],
        through sequence: UInt64,
        completion: @escaping @Sendable ([RecordedEvent]?) -> Void
    ) {
        ask(FleetProblems.question(of: targets, through: sequence)) { completion(try? $0.get()) }
    }

    /// Reads what is wrong now.
    package func currentProblems(completion: @escaping @Sendable ([RecordedEvent]?) -> Void) {
        ask(FleetProblems.current) { completion(try? $0.get()) }
    }
}
