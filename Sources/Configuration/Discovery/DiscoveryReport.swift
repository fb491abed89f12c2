// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// What looking for files of targets came to.
package struct DiscoveryReport: Sendable {
    /// The targets of all files, each id once; of a faulty file those of its last good state.
    package internal(set) var targets: [TargetSettings] = []
    /// What became wrong with files since the last report, by file.
    package internal(set) var faults: [ConfigurationFaults] = []
    /// What became right again, and what was passed over, in words.
    package internal(set) var notes: [BookNote] = []
}
