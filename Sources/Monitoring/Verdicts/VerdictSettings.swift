// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// How many results make a verdict, and how long to wait between them.
package struct VerdictSettings: Sendable, Hashable {
    /// What ``fall`` and ``rise`` may be.
    package static let countRange = 1...100
    /// What each interval may be.
    package static let intervalRange: ClosedRange<Duration> = .milliseconds(100) ... .seconds(7 * 86_400)
    /// What ``backoffFactor`` may be besides 1; less would only hide that there is none.
    package static let backoffRange: ClosedRange<Double> = 1.1...10
    /// The confirm interval where none is given, if the interval is not shorter still.
    package static let standardConfirmInterval: Duration = .seconds(5)
    /// The longest interval where none is given, if the interval is not longer still.
    package static let standardMaximumInterval: Duration = .seconds(300)

    /// The defaults of every setting.
    package static let standard = VerdictSettings(
        uncheckedFall: 3,
        rise: 2,
        interval: .seconds(30),
        confirmInterval: standardConfirmInterval,
        backoffFactor: 1,
        maximumInterval: standardMaximumInterval,
        flapDetection: .standard
    )

    /// How many failures in a row make a target `down` (and results in a row without a success make it `degraded`).
    package let fall: Int
    /// How many passing results in a row end `down` or `degraded`.
    package let rise: Int
    /// Start to start, while nothing is in doubt.
    package let interval: Duration
    /// Start to start, while a change is ``HealthStateMachine/pending``.
    package let confirmInterval: Duration
    /// By what the interval grows with each failure while `down`; 1 for not at all.
    package let backoffFactor: Double
    /// Where the backoff ends.
    package let maximumInterval: Duration
    /// When the target counts as flapping; nil for never.
    package let flapDetection: FlapSettings?

    /// Checks and creates the settings.
    ///
    /// - Parameters:
    ///   - confirmInterval: nil for 5 s, or the interval when that is shorter.
    ///   - maximumInterval: nil for 300 s, or the interval when that is longer.
    /// - Throws: The first setting that is at fault, in the order of the parameters.
    package init(
        fall: Int = 3,
        rise: Int = 2,
        interval: Duration = .seconds(30),
        confirmInterval: Duration? = nil,
        backoffFactor: Double = 1,
        maximumInterval: Duration? = nil,
        flapDetection: FlapSettings? = .standard
    ) throws(VerdictSettingsError) {
        let confirm = confirmInterval ?? min(interval, Self.standardConfirmInterval)
        let maximum = maximumInterval ?? max(interval, Self.standardMaximumInterval)
        guard Self.countRange.contains(fall) else { throw VerdictSettingsError(code: .fall) }
        guard Self.countRange.contains(rise) else { throw VerdictSettingsError(code: .rise) }
        guard Self.intervalRange.contains(interval) else { throw VerdictSettingsError(code: .interval) }
        guard Self.intervalRange.contains(confirm), confirm <= interval
        else { throw VerdictSettingsError(code: .confirmInterval) }
        guard backoffFactor == 1 || Self.backoffRange.contains(backoffFactor)
        else { throw VerdictSettingsError(code: .backoffFactor) }
        guard Self.intervalRange.contains(maximum), maximum >= interval
        else { throw VerdictSettingsError(code: .maximumInterval) }
        self.init(
            uncheckedFall: fall,
            rise: rise,
            interval: interval,
            confirmInterval: confirm,
            backoffFactor: backoffFactor,
            maximumInterval: maximum,
            flapDetection: flapDetection
        )
    }

    private init(
        uncheckedFall fall: Int,
        rise: Int,
        interval: Duration,
        confirmInterval: Duration,
        backoffFactor: Double,
        maximumInterval: Duration,
        flapDetection: FlapSettings?
    ) {
        self.fall = fall
        self.rise = rise
        self.interval = interval
        self.confirmInterval = confirmInterval
        self.backoffFactor = backoffFactor
        self.maximumInterval = maximumInterval
        self.flapDetection = flapDetection
    }

    /// How long a change can be pending at most, from start to start of its probes.
    package var longestDoubt: Duration { confirmInterval * max(fall, rise) }

    /// How long to wait after so many failures since the target went down: interval · factor^failures, up to the longest.
    func backoff(after failures: Int) -> Duration {
        guard backoffFactor > 1 else { return interval }
        let longest = Double(maximumInterval.nanoseconds)
        var wait = Double(interval.nanoseconds)
        for _ in 0..<failures {
            wait *= backoffFactor
            guard wait < longest else { return maximumInterval }
        }
        return .nanoseconds(Int64(wait))
    }
}

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
