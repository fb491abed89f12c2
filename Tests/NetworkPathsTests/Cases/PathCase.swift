// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Testing

/// One case of linux-paths section 10, read from its text.
struct PathCase: Sendable, CustomTestStringConvertible {
    enum Step: Sendable {
        /// `ip -n NS …`
        case namespace(String)
        /// `ip -n NS …`, where a kernel that cannot do it skips the case.
        case attempt(String)
        /// `ip -n P …`
        case peer(String)
        case base
        case second
        /// Keeps a tun (or tap) device's file open.
        case hold(String, isTap: Bool)
        /// Closes what `hold` opened.
        case release
        /// Runs a command in the namespace.
        case exec(String)
        case sysctl(key: String, value: String)
        /// Ends a block of expectations, so that the next one is awaited after it.
        case later
        /// Verdicts that must come to hold, all of them.
        case expect([Expectation])
    }

    var title: String
    var steps: [Step] = []
    var rules: [InterfaceRule] = []
    var connections: [DeclaredConnection] = []
    var mark: UInt32?
    /// Files under `class/net` of a sysfs of the case's own.
    var sysfs: [(file: String, text: String)] = []
    /// Drivers, as the same sysfs links to them.
    var drivers: [(interface: String, driver: String)] = []
    /// What the kernel must be able to do, as ``Testbed/obstacle(to:)`` takes it.
    var kinds: [String] = []

    var testDescription: String { title }
}
