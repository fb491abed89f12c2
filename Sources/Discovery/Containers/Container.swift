// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A container as an engine lists it, reduced to what targets are made of.
struct Container: Sendable, Hashable {
    /// A TCP port.
    struct Port: Sendable, Hashable {
        /// The number in the container.
        var inside: Int
        /// The number on the engine's machine; nil if the port is not published.
        var published: Int?
        /// The address on that machine; "" for all.
        var address = ""
    }

    /// The engine's id.
    var id = ""
    /// The name, without the slash that Docker puts before it.
    var name = ""
    var image = ""
    /// `created`, `running`, `paused`, `restarting`, `exited`, `dead` and the like.
    var state = ""
    /// Seconds since 1970.
    var created: Int64 = 0
    /// The labels for reachd, and those of Compose.
    var labels: [String: String] = [:]
    /// How the container is connected: `bridge`, `host`, `container:ID`.
    var networkMode = ""
    var ports: [Port] = []
    /// The address on each network, by its name.
    var addresses: [String: String] = [:]

    /// Whether it runs, or is about to run again.
    var isAlive: Bool { ["running", "restarting", "paused"].contains(state) }
}
