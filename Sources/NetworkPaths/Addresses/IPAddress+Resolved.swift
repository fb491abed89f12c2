// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO

extension IPAddress {
    /// An address that a name was resolved to; nil when its bytes are no address.
    package init?(_ resolved: ResolvedAddress) {
        guard let address = unsafe resolved.bytes.withUnsafeBytes({ unsafe IPAddress(networkBytes: $0) }) else {
            return nil
        }
        self = address
    }
}
