// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring

/// What looking for files of targets came to.
public struct DiscoveryReport: Sendable {
    /// The targets of all files, each id once; of a faulty file those of its last good state.
    public internal(set) var targets: [TargetSettings] = []
    /// What became wrong with files since the last report, by file.
    public internal(set) var faults: [ConfigurationFaults] = []
    /// What became right again, and what was passed over, in words.
    public internal(set) var notes: [BookNote] = []
}
