// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO
package import Monitoring
package import Schema

/// The contents of a discovery file.
struct DiscoveredTargets: Sendable, Hashable {
    /// The targets, in the order of the file.
    var targets: [TargetSettings] = []
    /// Notes on ignored parts of the file.
    var notes: [String] = []
}

/// A group of a discovery file.
package struct DiscoveredGroup {
    /// A text with its position.
    package struct Text {
        /// The text.
        package let text: String
        /// The position.
        package let place: ConfigurationDiagnostic.Place
    }

    /// Addresses: `host`, `host:port`, or a URL.
    package internal(set) var targets: [Text] = []
    /// The labels of all targets. Those that begin with `__` are probe settings.
    package internal(set) var labels: [(name: String, value: Text)] = []
}

/// The result of scanning for discovery files.
package struct DiscoveryReport: Sendable {
    /// The targets of all files, each id once; for a faulty file those of its last valid state.
    package internal(set) var targets: [TargetSettings] = []
    /// New faults of files since the last report, by file.
    package internal(set) var diagnostics: [ConfigurationDiagnostics] = []
    /// Messages on resolved faults and ignored parts.
    package internal(set) var notes: [LogMessage] = []
}
