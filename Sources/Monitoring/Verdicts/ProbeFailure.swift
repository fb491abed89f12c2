// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How a probe failed, as far as the search for the cause needs to know.
package enum ProbeFailure: Sendable, Hashable, CaseIterable {
    /// It did not, or there was none.
    case none
    /// Somebody answered, and wrongly: refused, reset, a wrong status, a certificate at fault, too late.
    case answered
    /// Nobody answered.
    case silent
    /// The name could not be resolved.
    case resolution
    /// The name resolved to an address that is not among the expected.
    case wrongAddress
    /// The target does not answer, and is not expected to.
    case absent
    /// This machine's firewall, or a route of it, refused the packet.
    case ownFirewall
    /// This machine did not let the probe out: no descriptor, no memory, no permission.
    case local
}
