// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import HTTPServer
package import Probing
package import ReachAPI

/// Where the HTTP interface listens, what it answers, and what its clients may use up.
package struct HTTPSettings: Sendable, Hashable {
    /// Where it listens, at least one.
    package var listen = [ListenSettings.standard]
    /// Whether the configuration names the hosts that requests may use, and they do not follow from the addresses.
    package var namesHosts = false
    /// Which names a request may use, the path above all routes, and the rules of access.
    package var api = APISettings(
        hosts: .loopback(also: []),
        access: AccessRules(writesPerSecond: 100)
    )
    /// Which targets clients may name.
    package var targetPolicy = TargetPolicy()
    /// What connections, requests and streams may use up.
    package var limits = HTTPServerLimits()
}
