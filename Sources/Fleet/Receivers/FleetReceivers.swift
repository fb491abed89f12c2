// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// The receivers of notifications that this node serves for its fleet. Any thread; nothing here waits.
///
/// The coordinator assigns each receiver to one node that offers it. The node may send while its lease is valid, and stores under the
/// token of its assignment how far the receiver was served; so another node continues there when this one ends.
package final class FleetReceivers: Sendable {
    private let loop: EventLoop
    private let receivers: ThreadConfined<NodeReceivers>
    private let shared: SharedReceivers
    /// The location of this node.
    package let location: String

    init(
        loop: EventLoop,
        receivers: ThreadConfined<NodeReceivers>,
        shared: SharedReceivers,
        location: String
    ) {
        self.location = location
        self.loop = loop
        self.receivers = receivers
        self.shared = shared
    }

    /// The receivers of this node as the last renewal of its lease reported them.
    package var grants: [ReceiverGrant] { shared.grants }

    /// Whether the node may send: another one may have its receivers otherwise.
    package var isLeaseValid: Bool { shared.isLeaseValid(at: loop.clock.now()) }

    /// Whether the node had no lease for a minute: it may notify of the targets that it watches, as it sees them. Never while
    /// ``isLeaseValid``.
    package var isCutOff: Bool { shared.isCutOff }

    /// The position of the node's own log, without its numbering, behind which the fleet may not have notified receivers when the node
    /// was cut off.
    package var baseline: Int64 { shared.baseline }

    /// Whether this node is the one to notify of a target while it is cut off: it watches the target in the first location that does.
    package func isHeld(_ target: String) -> Bool { shared.isHeld(target) }

    /// Adds a closure that is called after each renewal and when the node is cut off, on the membership's thread; it must not block.
    package func onChange(_ listener: @escaping @Sendable () -> Void) { shared.onChange(listener) }

    /// Replaces the receivers that the node can serve.
    package func offer(_ offers: [ReceiverOffer]) {
        loop.execute { [receivers] in receivers.value.offer(offers) }
    }

    /// Reads where a receiver is to be continued.
    ///
    /// - Parameter completion: called once, on the membership's thread; with nil when the receiver is not this node's any more.
    package func position(
        of grant: ReceiverGrant,
        completion: @escaping @Sendable (Result<ReceiverPosition?, FleetFault>) -> Void
    ) {
        let isAccepted = loop.execute { [receivers] in
            receivers.value.position(of: grant, completion: completion)
        }
        if !isAccepted { completion(.failure(.stopped)) }
    }

    /// Stores how far receivers were served, in one statement after those of earlier calls.
    ///
    /// - Parameters:
    ///   - offsets: the offsets.
    ///   - epoch: the run of the log that they belong to.
    ///   - completion: called once, on the membership's thread, with the names of the receivers whose offset is stored. The others are
    ///     not this node's any more, or the log is another one.
    package func store(
        _ offsets: [ReceiverProgress],
        epoch: String,
        completion: @escaping @Sendable (Result<Set<String>, FleetFault>) -> Void
    ) {
        let isAccepted = loop.execute { [receivers] in
            receivers.value.store(offsets, epoch: epoch, completion: completion)
        }
        if !isAccepted { completion(.failure(.stopped)) }
    }
}

extension FleetFault {
    /// The thread of the membership has ended.
    fileprivate static let stopped = FleetFault(code: "closed", message: "the node stops")
}
