// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Counts the failures that say something of the target itself: a name that could not be resolved, a packet that was not let out and an
/// answer that reachd was too late to see count toward `fall`, but make no target `down` that failed less often itself.
///
/// A success or a degraded result ends a row of failures; a failure that says nothing of the target does not.
struct TargetFailures {
    /// Failures in a row that the target is blamed for.
    private var count = 0
    /// The newest failure in the row that says something of the target or of the way to it, as it is explained now.
    private(set) var newest: Diagnosis?
    /// Whether failures in the row say nothing of the target.
    private var hasUnrelated = false

    /// Whether too few failures were the target's own, while others said nothing of it.
    private(set) var areTooFew = false
    /// Whether the newest failure says something of the target, and there are too few of these for a verdict. A target that is down for
    /// a fault which is over is so until ``restart()`` and `fall` failures more.
    private(set) var isConfirming = false

    /// Takes a result.
    ///
    /// - Parameters:
    ///   - diagnosis: why it failed; nil for any other result.
    ///   - fall: how many failures make a target `down`.
    ///   - isDown: whether the target is `down` by failures of its own.
    mutating func take(_ diagnosis: Diagnosis?, fall: Int, isDown: Bool) {
        guard let diagnosis else {
            self = TargetFailures()
            return
        }
        if isDown { count = fall }
        if diagnosis.rule.concernsTarget {
            newest = diagnosis
            count = min(count + 1, VerdictSettings.countRange.upperBound)
        } else if count < fall {
            hasUnrelated = true
        }
        if count >= fall { hasUnrelated = false }
        areTooFew = hasUnrelated && diagnosis.cause == .target
        isConfirming = count < fall && diagnosis.rule.concernsTarget
    }

    /// Counts anew; what explained the newest failure stays known.
    mutating func restart() {
        let known = newest
        self = TargetFailures()
        newest = known
    }

    /// Replaces the explanation of the newest failure.
    mutating func explain(_ diagnosis: Diagnosis) {
        if newest != nil { newest = diagnosis }
    }
}

extension CauseRule {
    /// Whether such a failure says something of the target or of the way to it.
    fileprivate var concernsTarget: Bool {
        switch self {
        case .notSent, .ownFirewall, .tooLate, .wrongAddress, .resolutionFailed, .kernelRefused, .nameUnresolved: false
        default: true
        }
    }
}
