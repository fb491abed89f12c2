// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
public import Foundation
public import KeyValueObserving

extension ObservableKey where Root == NetworkActivityIndicatorManager, Value == Bool {
    /// The key `enabled` (contract K19).
    public static var enabled: Self { Keys.enabled }

    /// The key `networkActivityIndicatorVisible`, told with every setting, changed or not (contract K16).
    public static var networkActivityIndicatorVisible: Self { Keys.networkActivityIndicatorVisible }
}

extension ObservableKey where Root == NetworkActivityIndicatorManager, Value == TimeInterval {
    /// The key `activationDelay` (contract K19).
    public static var activationDelay: Self { Keys.activationDelay }

    /// The key `completionDelay` (contract K19).
    public static var completionDelay: Self { Keys.completionDelay }
}

extension ObservableKey where Root == NetworkActivityIndicatorManager, Value == Int {
    /// The key `activityCount`: a pair for each count up or down on the thread that counts, also from 0 to 0 (contract K15).
    public static var activityCount: Self { Keys.activityCount }
}

extension ObservableKey where Root == NetworkActivityIndicatorManager, Value == NetworkActivityManagerState {
    /// The key `currentState`, told with every setting, changed or not (contract K16, K17).
    public static var currentState: Self { Keys.currentState }
}

/// Key names are the properties' names, not those of their getters (K11); none depends on another (K20).
private enum Keys {
    typealias Key<Value: Sendable> = ObservableKey<NetworkActivityIndicatorManager, Value>

    static let enabled = Key<Bool>("enabled") { $0.isEnabled }
    static let networkActivityIndicatorVisible = Key<Bool>("networkActivityIndicatorVisible") {
        $0.isNetworkActivityIndicatorVisible
    }
    static let activationDelay = Key<TimeInterval>("activationDelay") { $0.activationDelay }
    static let completionDelay = Key<TimeInterval>("completionDelay") { $0.completionDelay }
    static let activityCount = Key<Int>("activityCount") { $0.activityCount }
    static let currentState = Key<NetworkActivityManagerState>("currentState") { $0.currentState }
}
