// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How long and how much the resolver asks.
package struct ResolverLimits: Sendable, Hashable {
    /// How long the first try waits for an answer, in milliseconds; each further try waits twice as long.
    package var timeout: Int32
    /// How often each server is asked.
    package var tries: Int32
    /// How many names are asked for at once; each is two questions. More than 64 overflowed a server's socket
    /// (linux-paths.md, section 8).
    package var namesInFlight: Int
    /// How many addresses of one name are kept.
    package var addresses: Int
    /// The servers' port, UDP and TCP.
    package var port: UInt16

    /// Creates limits; the defaults are 2 s × 2 tries, 64 names in flight and 1,024 addresses a name.
    package init(
        timeout: Int32 = 2_000,
        tries: Int32 = 2,
        namesInFlight: Int = 64,
        addresses: Int = 1_024,
        port: UInt16 = 53
    ) {
        self.timeout = timeout
        self.tries = tries
        self.namesInFlight = namesInFlight
        self.addresses = addresses
        self.port = port
    }
}
