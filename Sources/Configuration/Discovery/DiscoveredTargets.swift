// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO
package import Monitoring
import Schema

/// What a file of targets came to.
struct DiscoveredTargets: Sendable, Hashable {
    /// The targets, in the order of the file.
    var targets: [TargetSettings] = []
    /// What of the file was passed over.
    var notes: [String] = []
}

/// An element of a file of targets.
struct DiscoveredGroup {
    /// A text with the place where it stands.
    struct Text {
        let text: String
        let place: ConfigurationDiagnostic.Place
    }

    /// Addresses: `host`, `host:port`, or a URL.
    var targets: [Text] = []
    /// What holds for all of them. Those with `__` in front say how they are asked.
    var labels: [(name: String, value: Text)] = []
}

/// What looking for files of targets came to.
package struct DiscoveryReport: Sendable {
    /// The targets of all files, each id once; of a faulty file those of its last good state.
    package internal(set) var targets: [TargetSettings] = []
    /// What became wrong with files since the last report, by file.
    package internal(set) var diagnostics: [ConfigurationDiagnostics] = []
    /// What became right again, and what was passed over, in words.
    package internal(set) var notes: [LogMessage] = []
}
