// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths

/// What a target is, in the contract's words.
package enum TargetKind: String, Sendable, CaseIterable {
    case name, address
    case addressPair = "address_pair"
    case defaultPath = "default"

    package init(_ target: PathTarget) {
        self =
            switch target {
            case .name: .name
            case .address: .address
            case .pair: .addressPair
            case .defaultPath: .defaultPath
            }
    }
}
