// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc
package import LinuxIO
internal import Synchronization

/// This machine's own TCP traffic as a witness of targets' health: counts the connections with each target that end, and reports
/// attempts that fail.
///
/// Needs no privilege. Sees the connections of the network namespace of the event loop's thread. Connections of others stay in
/// the kernel, except a sample that is looked up and discarded; no address that is not a target's is stored, logged or counted by
/// name.
package final class TrafficObserver: Sendable {
    private let loop: EventLoop
    let table: TrafficTableLock
    private let subscription: ThreadConfined<TrafficSubscription>

    /// Ended connections a second above which only one second in thirty is observed.
    package static let defaultLimit = 2_000

    private init(loop: EventLoop, table: TrafficTableLock, subscription: ThreadConfined<TrafficSubscription>) {
        self.loop = loop
        self.table = table
        self.subscription = subscription
    }

    /// Opens the kernel's interface on the loop's thread; subscribes when there is a target. From any thread; waits for the loop.
    ///
    /// - Parameters:
    ///   - loop: The event loop to run on. Its clock measures all times.
    ///   - limit: Ended connections a second above which only samples are observed.
    ///   - changed: Called on the loop's thread when a connection to a target failed, at most once a second for a target, and when one
    ///     succeeded after that or after ten seconds without a success.
    /// - Returns: The observer; its owner calls ``close()``.
    /// - Throws: ``TrafficError`` when the kernel or a sandbox does not provide it.
    package static func start(
        on loop: EventLoop,
        limit: Int = defaultLimit,
        changed: @escaping @Sendable (TrafficChange) -> Void
    ) throws(TrafficError) -> TrafficObserver {
        try start(
            on: loop,
            limit: limit,
            receiveBuffer: ConnectionEndSource.receiveBuffer,
            filterInterval: filterInterval,
            changed: changed,
            batchTaken: {}
        )
    }

    /// The same for tests, with the size of the socket's buffer, the least time between two changes of its filter, and a call on the loop's thread after each batch of messages.
    static func start(
        on loop: EventLoop,
        limit: Int,
        receiveBuffer: Int32,
        filterInterval: Duration,
        changed: @escaping @Sendable (TrafficChange) -> Void,
        batchTaken: @escaping @Sendable () -> Void
    ) throws(TrafficError) -> TrafficObserver {
        let table = TrafficTableLock(at: loop.clock.now())
        let result: Result<ThreadConfined<TrafficSubscription>, TrafficError>? = loop.executeAndWait {
            do throws(TrafficError) {
                let subscription = try TrafficSubscription(
                    loop: loop,
                    table: table,
                    limit: limit,
                    receiveBuffer: receiveBuffer,
                    filterInterval: filterInterval,
                    changed: changed,
                    batchTaken: batchTaken
                )
                return .success(ThreadConfined(subscription, to: loop))
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw TrafficError.closed }
        return TrafficObserver(loop: loop, table: table, subscription: try result.get())
    }

    /// Watches targets, or no longer. A target keeps its record when its endpoints change. From any thread.
    ///
    /// The kernel's filter follows at once, or within ``filterInterval`` when it was changed a moment before.
    ///
    /// - Parameter changes: Each target's id with its addresses and ports; nil to drop it with its record. Targets may share endpoints,
    ///   at most 64 one of them.
    package func update(_ changes: [String: [TrafficEndpoint]?]) {
        let isChanged = table.withLock { table in
            changes.reduce(false) { isChanged, change in table.update(change.key, change.value) || isChanged }
        }
        if isChanged { loop.execute { [subscription] in subscription.value.endpointsChanged() } }
    }

    /// The least time between two changes of the kernel's filter: many targets that are declared, or resolved, one after the other
    /// need one.
    package static let filterInterval: Duration = .milliseconds(50)

    /// Excludes a socket, such as a probe's: its end is neither counted nor reported. Call it before `connect(2)`, from any thread.
    ///
    /// The last 16,384 excluded sockets are remembered.
    ///
    /// - Parameter descriptor: A TCP socket.
    package func exclude(_ descriptor: Int32) {
        var cookie: UInt64 = 0
        var length = socklen_t(8)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &length) == 0 else { return }
        table.withLock { $0.exclude(cookie) }
    }

    /// A target's traffic. From any thread.
    ///
    /// - Parameters:
    ///   - id: The target's id.
    ///   - lastMinutes: How many minutes, the present one included, from 1 to 60.
    /// - Returns: nil for a target that is not watched.
    package func report(of id: String, lastMinutes: Int = 60) -> TrafficReport? {
        let now = loop.clock.now()
        return table.withLock { $0.report(of: id, lastMinutes: lastMinutes, at: now) }
    }

    /// The sums and the newest evidence of a target; nil for one that is not watched. From any thread.
    package func summary(of id: String) -> TrafficSummary? {
        table.withLock { $0.summary(of: id) }
    }

    /// All targets with connections. From any thread.
    package func snapshot() -> TrafficSnapshot {
        let now = loop.clock.now()
        return table.withLock { $0.snapshot(at: now) }
    }

    /// Reads a target's connections that hang at present. From any thread.
    ///
    /// - Parameters:
    ///   - id: The target's id.
    ///   - completion: Called on the loop's thread; with an empty result for a target that is not watched.
    /// - Returns: Whether the completion will be called: not when the loop has ended.
    @discardableResult
    package func readHangingConnections(
        of id: String,
        completion: @escaping @Sendable (Result<HangingConnections, TrafficError>) -> Void
    ) -> Bool {
        loop.execute { [weak self] in
            guard let self else { return completion(.success(HangingConnections())) }
            do throws(TrafficError) {
                completion(.success(try hangingConnections(of: id)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Counts the connections of a target that hang at present, for its ``TrafficSummary``. In a later turn of the loop; from any thread.
    package func noteHangingConnections(of id: String) {
        loop.execute { [weak self] in
            // A kernel that refuses says so to readers.
            guard let self, let hanging = try? hangingConnections(of: id) else { return }
            let standing = HangingStanding(hanging, at: loop.clock.now())
            table.withLock { $0.note(standing, of: id) }
        }
    }

    private func hangingConnections(of id: String) throws(TrafficError) -> HangingConnections {
        let endpoints = table.withLock { $0.endpoints(of: id) } ?? []
        guard !endpoints.isEmpty else { return HangingConnections() }
        return try HangingConnections.read(of: endpoints, clock: loop.clock) { [table] cookie in
            table.withLock { $0.isExcluded(cookie) }
        }
    }

    /// What was done so far. From any thread.
    package var statistics: TrafficStatistics {
        let now = loop.clock.now()
        return table.withLock { $0.currentStatistics(at: now) }
    }

    /// Ends the subscription and closes the socket; a second call does nothing. When it returns, no change is reported any more,
    /// except that on the loop's own thread a report may be under way. Records can still be read. From any thread; waits for the loop.
    package func close() {
        _ = loop.executeAndWait { [subscription] in subscription.value.close() }
    }
}

/// The table behind its lock, shared by the observer's callers and the loop's thread.
final class TrafficTableLock: Sendable {
    private let table: Mutex<TrafficTable>

    init(at now: UInt64) {
        table = Mutex(TrafficTable(at: now))
    }

    func withLock<Value: Sendable>(_ body: (inout sending TrafficTable) -> sending Value) -> Value {
        table.withLock(body)
    }
}
