// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import KeyValueObserving
public import NetworkPaths

extension ObservableKey where Root == NetworkReachabilityManager, Value == ReachabilityStatus {
    /// The key `networkReachabilityStatus` (contract K9).
    public static var networkReachabilityStatus: Self { Keys.networkReachabilityStatus }
}

extension ObservableKey where Root == NetworkReachabilityManager, Value == Bool {
    /// The key `reachable`, which depends on the status: told with every delivery, changed or not (contract K9–K11).
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
