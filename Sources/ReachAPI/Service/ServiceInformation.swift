// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring

/// What the service says of itself in `/status`, `/version` and `hello`.
public struct ServiceInformation: Sendable, Hashable {
    /// The program's name.
    public var name: String
    /// The program's version, as in semantic versioning.
    public var version: String
    /// When the process started.
    public var startedAt: Timestamp
    /// Facts of the build: the commit, the compiler, the libraries' versions; names in snake_case.
    public var build: [String: String]

    /// Creates the information.
    public init(name: String = "reachd", version: String, startedAt: Timestamp, build: [String: String] = [:]) {
        self.name = name
        self.version = version
        self.startedAt = startedAt
        self.build = build
    }
}
