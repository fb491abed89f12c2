// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// What the service says of itself in `/status`, `/version` and `hello`.
package struct ServiceInformation: Sendable, Hashable {
    /// The program's name.
    package var name: String
    /// The program's version, as in semantic versioning.
    package var version: String
    /// When the process started.
    package var startedAt: Timestamp
    /// Facts of the build: the commit, the compiler, the libraries' versions; names in snake_case.
    package var build: [String: String]

    /// Creates the information.
    package init(name: String = "reachd", version: String, startedAt: Timestamp, build: [String: String] = [:]) {
        self.name = name
        self.version = version
        self.startedAt = startedAt
        self.build = build
    }
}
