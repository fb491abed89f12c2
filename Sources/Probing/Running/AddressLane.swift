// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// Alternative addresses: tried one after the other, staggered, until one answers.
final class AddressLane {
    /// Whether an address answered, or all failed.
    var isDecided: Bool { decisive != nil }
    /// Whether all failed.
    var hasFailed: Bool { decisive.map { outcomes[$0]?.outcome == .failure } ?? false }

    private let loop: EventLoop
    private let stagger: UInt64
    private let make: (IPAddress, @escaping (AddressResult) -> Void) -> any ProbeAttempt
    private var candidates: ArraySlice<IPAddress>
    private var attempts: [(any ProbeAttempt)?] = []
    /// The results, in the order of the attempts' start.
    private var outcomes: [AddressResult?] = []
    /// The place among them of the first success, or of the first failure when all failed; nil before that.
    private var decisive: Int?
    private var timer: TimerToken?
    private var ended: () -> Void = {}

    init(
        _ candidates: [IPAddress],
        loop: EventLoop,
        stagger: UInt64,
        make: @escaping (IPAddress, @escaping (AddressResult) -> Void) -> any ProbeAttempt
    ) {
        self.candidates = candidates[...]
        self.loop = loop
        self.stagger = stagger
        self.make = make
    }

    func start(_ ended: @escaping () -> Void) {
        self.ended = ended
        next()
    }

    /// Adds alternatives, which came later than the first ones (RFC 8305, section 3). Of a lane that failed they are tried at once.
    func append(_ addresses: [IPAddress]) {
        guard !addresses.isEmpty else { return }
        if isDecided {
            guard hasFailed else { return }
            decisive = nil
            attempts = outcomes.map { _ in nil }
            candidates = addresses[...]
            next()
        } else {
            candidates += addresses
            if timer == nil { scheduleNext() }
        }
    }

    /// Appends the results so far, in the order of the attempts' start.
    ///
    /// - Returns: The place of the decisive one in the list; nil before there is one.
    func append(to all: inout [AddressResult]) -> Int? {
        var place: Int?
        for (index, outcome) in outcomes.enumerated() {
            guard let outcome else { continue }
            if index == decisive { place = all.count }
            all.append(outcome)
        }
        return place
    }

    /// Ends all attempts because the deadline has passed.
    func expire() {
        guard !isDecided else { return }
        candidates = []
        for attempt in attempts { attempt?.expire() }
    }

    /// Ends all attempts without a result.
    func cancel() {
        ended = {}
        candidates = []
        stopTimer()
        for attempt in attempts { attempt?.cancel() }
        attempts = []
    }

    private func next() {
        stopTimer()
        guard !isDecided, let address = candidates.popFirst() else { return }
        let index = outcomes.count
        outcomes.append(nil)
        let attempt = make(address) { [weak self] result in self?.took(result, at: index) }
        attempts.append(attempt)
        if !candidates.isEmpty { scheduleNext() }
        attempt.start()
    }

    private func scheduleNext() {
        timer = loop.schedule(after: stagger) { [weak self] in
            self?.timer = nil
            self?.next()
        }
    }

    private func took(_ new: AddressResult, at index: Int) {
        outcomes[index] = new
        if index < attempts.count { attempts[index] = nil }
        guard !isDecided else { return }
        if new.outcome != .failure {
            finish(by: index)
        } else if !candidates.isEmpty {
            next()
        } else if outcomes.allSatisfy({ $0 != nil }) {
            finish(by: 0)
        }
    }

    private func finish(by index: Int) {
        decisive = index
        let ended = ended
        let losers = attempts
        stopTimer()
        attempts = []
        candidates = []
        for attempt in losers { attempt?.cancel() }
        ended()
    }

    private func stopTimer() {
        if let timer { loop.cancel(timer) }
        timer = nil
    }
}
