// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// What of a path can change, as the `changed` list of a `path` event names it.
package enum PathField: String, Sendable, CaseIterable {
    case status
    case unsatisfiedReason = "unsatisfied_reason"
    case interface
    case sourceAddress = "source_address"
    case gateway
    case isExpensive = "is_expensive"
    case isConstrained = "is_constrained"
    case supportsIPv4 = "supports_ipv4"
    case supportsIPv6 = "supports_ipv6"
    case supportsDNS = "supports_dns"
    case generation, resolution

    package static func changed(from old: StatusRecord, to new: StatusRecord) -> [PathField] {
        allCases.filter { !$0.isEqual(old, new) }
    }

    private func isEqual(_ old: StatusRecord, _ new: StatusRecord) -> Bool {
        switch self {
        case .status: old.path?.status == new.path?.status
        case .unsatisfiedReason: old.path?.unsatisfiedReason == new.path?.unsatisfiedReason
        case .interface: old.path?.interface == new.path?.interface
        case .sourceAddress: old.path?.sourceAddress == new.path?.sourceAddress
        case .gateway: old.path?.gateway == new.path?.gateway
        case .isExpensive: old.path?.isExpensive == new.path?.isExpensive
        case .isConstrained: old.path?.isConstrained == new.path?.isConstrained
        case .supportsIPv4: old.path?.supportsIPv4 == new.path?.supportsIPv4
        case .supportsIPv6: old.path?.supportsIPv6 == new.path?.supportsIPv6
        case .supportsDNS: old.supportsDNS == new.supportsDNS
        case .generation: old.path?.generation == new.path?.generation
        case .resolution: old.path?.resolution == new.path?.resolution
        }
    }
}
