// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the operator may set about the API.
package struct APISettings: Sendable, Hashable {
    /// Which names a request may call this server by.
    package var hosts: HostRule = .any

    /// Who may do what, to begin with.
    package var access = AccessRules()

    /// The path that all routes are below, such as `/reachd`; empty for none.
    package var basePath = ""

    /// Creates settings; everything has a default.
    package init(hosts: HostRule = .any, access: AccessRules = AccessRules()) {
        self.hosts = hosts
        self.access = access
    }
}
