// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// Whom a probe asks.
package enum ProbeHost: Sendable, Hashable {
    /// An address; nothing is looked up.
    case address(IPAddress)
    /// A host name; looked up anew by each run.
    case name(String)
}

extension ProbeHost: CustomStringConvertible {
    /// The address or the name.
    package var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let name): name
        }
    }
}
