// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Foundation

@_exported public import enum NetworkPaths.ReachabilityStatus

/// AFNetworking's status of a target, with its raw values -1, 0, 1, 2 (contract R1).
///
/// "Via WiFi" means reachable and not cellular: Ethernet, loopback and tunnels too (R4).
public typealias NetworkReachabilityStatus = ReachabilityStatus

extension ReachabilityStatus {
    /// The localisation table in which the display strings are looked up; the English text is the key (contract R2).
    public static let localizationTable = "NetworkReachability"

    /// The status for display (contract R2).
    ///
    /// - Parameter bundle: whose table `NetworkReachability` is asked; without an entry there it is the English text.
    /// - Returns: "Not Reachable", "Reachable via WWAN", "Reachable via WiFi" or "Unknown", possibly translated.
    public func localizedString(bundle: Bundle = .main) -> String {
        let english =
            switch self {
            case .notReachable: "Not Reachable"
            case .reachableViaWWAN: "Reachable via WWAN"
            case .reachableViaWiFi: "Reachable via WiFi"
            case .unknown: "Unknown"
            }
        return bundle.localizedString(forKey: english, value: english, table: Self.localizationTable)
    }

    /// The status with this raw value for display; a number out of range is "Unknown" (contract R2).
    ///
    /// - Parameters:
    ///   - rawValue: as a notification carries it.
    ///   - bundle: as for ``localizedString(bundle:)``.
    public static func localizedString(forRawValue rawValue: Int, bundle: Bundle = .main) -> String {
        (Self(rawValue: rawValue) ?? .unknown).localizedString(bundle: bundle)
    }
}
