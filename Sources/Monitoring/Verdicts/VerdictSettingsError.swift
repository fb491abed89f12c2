// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why settings of the verdict or of its schedule were refused.
package struct VerdictSettingsError: Error, Sendable, Hashable {
    /// Which setting is at fault.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// `fall` is out of its range.
        case fall
        /// `rise` is out of its range.
        case rise
        /// The interval is out of its range.
        case interval
        /// The confirm interval is out of its range, or longer than the interval.
        case confirmInterval = "confirm_interval"
        /// The backoff's factor is neither 1 nor in its range.
        case backoffFactor = "backoff_factor"
        /// The longest interval is out of its range, or shorter than the interval.
        case maximumInterval = "maximum_interval"
        /// The number of results for flap detection is out of its range.
        case flapWindow = "flap_window"
        /// A threshold of flap detection is out of its range, or the lower is not below the higher.
        case flapThresholds = "flap_thresholds"
        /// The jitter is out of its range.
        case jitter
        /// A limit of concurrency is below 1, or that of one address is above that of all.
        case limits
    }

    /// Which setting is at fault.
    package let code: Code

    init(code: Code) {
        self.code = code
    }
}
