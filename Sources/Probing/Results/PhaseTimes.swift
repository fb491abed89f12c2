// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// The durations of a run's phases; of a phase that did not happen there is none.
///
/// One word for each phase: a dictionary would hash and allocate several times in every probe.
package struct PhaseTimes: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// In nanoseconds, at ``ProbePhase/index``.
    private var times = SIMD8<UInt64>(repeating: .max)

    /// Creates times of no phase.
    package init() {}

    /// Creates the times of some phases.
    package init(dictionaryLiteral elements: (ProbePhase, Duration)...) {
        for (phase, time) in elements { self[phase] = time }
    }

    /// A phase's duration, to the nanosecond; nil for one that did not happen.
    package subscript(phase: ProbePhase) -> Duration? {
        get { times[phase.index] == .max ? nil : .nanoseconds(times[phase.index]) }
        set { times[phase.index] = newValue?.nanoseconds ?? .max }
    }

    /// Adds a separately measured time to a phase.
    mutating func add(_ time: Duration, to phase: ProbePhase) {
        self[phase] = (self[phase] ?? .zero) + time
    }

    /// Whether no phase happened.
    package var isEmpty: Bool { times == SIMD8(repeating: .max) }

    /// The phases that happened, in their order.
    package var keys: [ProbePhase] { ProbePhase.allCases.filter { times[$0.index] != .max } }
}

extension ProbePhase {
    /// Its place among all phases.
    fileprivate var index: Int {
        switch self {
        case .resolve: 0
        case .connect: 1
        case .startTLS: 2
        case .tls: 3
        case .request: 4
        case .transfer: 5
        }
    }
}
