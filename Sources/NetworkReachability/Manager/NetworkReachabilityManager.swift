// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
public import Foundation
public import KeyValueObserving
public import NetworkPaths
import Synchronization

/// Watches whether packets could leave for a target, and notifies three kinds of listener (contract R1–R29).
///
/// A manager does nothing before ``startMonitoring()``; its status is unknown until then (R7). Each delivery happens on
/// the delivery queue, the main one unless another was given, in this order (R17): the status changes and its
/// key-value observers are notified, then the block is called, then the notification is posted. An equal status is
/// delivered again (R20); to get only real changes, compare old and new.
///
/// Reachable says that a packet could leave this machine, not that anybody answers (R31). Do not ask it before a first
/// request: use it to explain a failure and to time the next attempt (R28).
///
/// All members may be used from any thread. Where AFNetworking is at odds with itself this port deviates: a target that
/// cannot be watched is a typed error instead of a crash (R8), an older value never follows a newer one (R19), nothing is
/// posted for a manager that is gone (R22), and ``stopMonitoring()`` is a barrier (R26).
public final class NetworkReachabilityManager: KeyValueObservable {
    /// The observers of the keys ``networkReachabilityStatus``, `reachable`, `reachableViaWWAN`, `reachableViaWiFi`.
    public let observers = KeyValueObservers<NetworkReachabilityManager>()

    private let target: any ReachabilityTarget
    private let notificationCenter: NotificationCenter
    /// Evaluation and delivery in one order, on whatever queue the deliveries are for (R18, R19).
    let executor: DispatchQueue
    private let state = Mutex(State())
    /// Held while the target is wired, so that starts and stops of several threads do not mix.
    private let wiring = Mutex(())

    /// Creates a manager for a target, idle.
    init(
        target: any ReachabilityTarget,
        deliveryQueue: DispatchQueue,
        notificationCenter: NotificationCenter = .default
    ) {
        self.target = target
        self.notificationCenter = notificationCenter
        executor = DispatchQueue(label: "NetworkReachabilityManager", target: deliveryQueue)
        executor.setSpecific(key: Self.executorKey, value: ObjectIdentifier(executor))
    }

    deinit {
        target.unschedule()
    }

    // MARK: Status

    /// The status of the last delivery; unknown before the first, kept by ``stopMonitoring()`` (contract R7, R25).
    public var networkReachabilityStatus: NetworkReachabilityStatus {
        state.withLock { $0.status }
    }

    /// Whether the target is reachable at all; false while that is unknown (contract R3).
    public var isReachable: Bool { networkReachabilityStatus.isReachable }

    /// Whether the target is reachable through a cellular modem (contract R3).
    public var isReachableViaWWAN: Bool { networkReachabilityStatus == .reachableViaWWAN }

    /// Whether the target is reachable any other way: Wi-Fi, Ethernet, loopback, a tunnel (contract R3, R4).
    public var isReachableViaWiFi: Bool { networkReachabilityStatus == .reachableViaWiFi }

    /// The status for display, from the localisation table `NetworkReachability`; not observable (contract R2, K11).
    ///
    /// - Parameter bundle: whose table is asked.
    public func localizedNetworkReachabilityStatusString(bundle: Bundle = .main) -> String {
        networkReachabilityStatus.localizedString(bundle: bundle)
    }

    /// How many deliveries there have been: the number of the last one, rising by one with each (contract R19).
    public var deliverySequence: UInt64 {
        state.withLock { $0.sequence }
    }

    // MARK: Listening

    /// Sets the one function that is called with the status of each delivery (contract R17, R23).
    ///
    /// It takes effect with the next delivery, also while monitoring; setting it delivers nothing.
    ///
    /// - Parameter block: called on the delivery queue; it replaces the one before, nil clears it.
    public func setReachabilityStatusChange(_ block: (@Sendable (NetworkReachabilityStatus) -> Void)?) {
        let previous = state.withLock { state in
            defer { state.block = block }
            return state.block
        }
        // What the replaced block holds is released here, outside the lock.
        withExtendedLifetime(previous) {}
    }

    /// Whether monitoring was started and not stopped since.
    public var isMonitoring: Bool {
        state.withLock { $0.isMonitoring }
    }

    // MARK: Monitoring

    /// Starts to monitor, or starts again; an initial delivery follows even if nothing changed (contract R10, R14, R27).
    ///
    /// The initial delivery never happens before this returns to a caller on the delivery queue. If the system cannot
    /// say the target's state, it is not made and the status stays as it was (R12). The manager lives at least until
    /// then (R15).
    public func startMonitoring() {
        wiring.withLock { _ in
            stop()
            let run = state.withLock { $0.begin() }
            target.setHandler { [weak self] flags in self?.receive(flags, in: run) }
            target.schedule(on: executor)
            executor.async { self.fetch(in: run) }
        }
    }

    /// Stops monitoring; status and block stay as they are (contract R24, R25).
    ///
    /// It is a barrier (R26): called on the delivery queue, nothing is delivered after it returns; from inside a
    /// delivery, listeners that it has not reached are not called, except the observers of the change that is being
    /// delivered (K14). Called elsewhere, nothing is delivered after the delivery that is under way.
    public func stopMonitoring() {
        wiring.withLock { _ in stop() }
    }

    private func stop() {
        let isInsideDelivery = DispatchQueue.getSpecific(key: Self.executorKey) == ObjectIdentifier(executor)
        state.withLock { $0.end(cutting: isInsideDelivery) }
        target.unschedule()
    }

    /// The initial delivery. On the executor.
    private func fetch(in run: UInt64) {
        guard state.withLock({ $0.isCurrent(run) }) else { return }
        let flags = target.currentFlags()
        // Calls that were queued before this moment may carry older flags than those just read (R19).
        executor.async { [weak self] in self?.state.withLock { $0.settle(run) } }
        guard let flags else { return }
        deliver(ReachabilityStatus(flags: flags), in: run)
    }

    /// A change that the system reports. On the executor.
    private func receive(_ flags: SCNetworkReachabilityFlags, in run: UInt64) {
        guard let isSettled = state.withLock({ $0.isCurrent(run) ? $0.isSettled : nil }) else { return }
        let newest = isSettled ? flags : target.currentFlags() ?? flags
        deliver(ReachabilityStatus(flags: newest), in: run)
    }

    /// One delivery, in the order of R17. On the executor.
    private func deliver(_ status: NetworkReachabilityStatus, in run: UInt64) {
        guard state.withLock({ $0.beginDelivery(in: run) }) else { return }
        observers.withChange(of: .networkReachabilityStatus, on: self) {
            state.withLock { $0.status = status }
        }
        // Asked for only now: an observer may have set it (R17).
        if let block = state.withLock({ $0.isCut ? nil : $0.block }) {
            block(status)
        }
        guard !state.withLock({ $0.isCut }) else { return }
        notificationCenter.post(
            name: .AFNetworkingReachabilityDidChange,
            object: self,
            userInfo: [AFNetworkingReachabilityNotificationStatusItem: status.rawValue]
        )
    }

    private static let executorKey = DispatchSpecificKey<ObjectIdentifier>()
}

extension NetworkReachabilityManager {
    private struct State {
        var status = NetworkReachabilityStatus.unknown
        var block: (@Sendable (NetworkReachabilityStatus) -> Void)?
        var isMonitoring = false
        /// The number of the last start or stop: what belongs to another one is not delivered (R26).
        var run: UInt64 = 0
        /// Whether all calls that were queued before the initial state was read are through.
        var isSettled = false
        /// The number of the last delivery.
        var sequence: UInt64 = 0
        /// Whether monitoring was stopped from inside the delivery under way.
        var isCut = false

        mutating func begin() -> UInt64 {
            run += 1
            isMonitoring = true
            isSettled = false
            return run
        }

        mutating func end(cutting: Bool) {
            run += 1
            isMonitoring = false
            if cutting { isCut = true }
        }

        mutating func settle(_ run: UInt64) {
            if isCurrent(run) { isSettled = true }
        }

        mutating func beginDelivery(in run: UInt64) -> Bool {
            guard isCurrent(run) else { return false }
            sequence += 1
            isCut = false
            return true
        }

        func isCurrent(_ run: UInt64) -> Bool { isMonitoring && self.run == run }
    }
}

extension ObservableKey where Root == NetworkReachabilityManager, Value == ReachabilityStatus {
    /// The key `networkReachabilityStatus` (contract K9).
    public static var networkReachabilityStatus: Self { Keys.networkReachabilityStatus }
}

extension ObservableKey where Root == NetworkReachabilityManager, Value == Bool {
    /// The key `reachable`, which depends on the status: notified with every delivery, changed or not (contract K9–K11).
    public static var reachable: Self { Keys.reachable }

    /// The key `reachableViaWWAN`, which depends on the status (contract K9–K11).
    public static var reachableViaWWAN: Self { Keys.reachableViaWWAN }

    /// The key `reachableViaWiFi`, which depends on the status (contract K9–K11).
    public static var reachableViaWiFi: Self { Keys.reachableViaWiFi }
}

/// Key names are the properties' names, not those of their getters (K11).
private enum Keys {
    typealias Key<Value: Sendable> = ObservableKey<NetworkReachabilityManager, Value>

    static let networkReachabilityStatus = Key<ReachabilityStatus>("networkReachabilityStatus") {
        $0.networkReachabilityStatus
    }
    static let reachable = Key<Bool>("reachable", dependingOn: networkReachabilityStatus) { $0.isReachable }
    static let reachableViaWWAN = Key<Bool>("reachableViaWWAN", dependingOn: networkReachabilityStatus) {
        $0.isReachableViaWWAN
    }
    static let reachableViaWiFi = Key<Bool>("reachableViaWiFi", dependingOn: networkReachabilityStatus) {
        $0.isReachableViaWiFi
    }
}

/// Posted on the delivery queue with each delivery, after the observers and the block were called (contract R17, R21).
///
/// Its object is the manager; its user info has ``AFNetworkingReachabilityNotificationStatusItem``. It is posted for
/// every delivery, also when the status is what it was (R20).
public let AFNetworkingReachabilityDidChangeNotification = Notification.Name.AFNetworkingReachabilityDidChange

/// The user info's key for the status, an `Int` with the raw value of ``NetworkReachabilityStatus`` (contract R21).
public let AFNetworkingReachabilityNotificationStatusItem = "AFNetworkingReachabilityNotificationStatusItem"

extension Notification.Name {
    /// `com.alamofire.networking.reachability.change`, the original's name (contract R21, K24).
    public static let AFNetworkingReachabilityDidChange = Notification.Name(
        "com.alamofire.networking.reachability.change"
    )
}

/// Why a manager could not be made; AFNetworking crashes instead (contract R8).
public struct NetworkReachabilityError: Error, Sendable, Hashable {
    /// The kinds of fault; their raw values are stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The host name is empty or otherwise no name.
        case invalidDomain = "invalid_domain"
        /// The address is not an IPv4 or IPv6 address, or its scope is not an interface of this machine.
        case invalidAddress = "invalid_address"
        /// Neither side of a pair is given, or one of them is not an address.
        case invalidAddressPair = "invalid_address_pair"
    }

    /// The kind of fault.
    public let code: Code
    /// What was wrong, in a sentence that names the input where it is text.
    public let message: String
    /// The system's own code, as `SCError()` gives it; 0 when the system was not asked.
    public let systemCode: Int32

    init(_ code: Code, _ message: String, systemCode: Int32 = 0) {
        self.code = code
        self.message = message
        self.systemCode = systemCode
    }
}

extension NetworkReachabilityError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
