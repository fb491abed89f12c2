// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// Alternative addresses: tried one after the other, staggered, until one answers.
final class AddressLane {
    /// The first success, or the first failure when all failed; nil before that.
    private(set) var result: AddressResult?
    /// The results so far, in the order of the attempts' start.
    var results: [AddressResult] { outcomes.compactMap { $0 } }

    private let loop: EventLoop
    private let stagger: UInt64
    private let make: (IPAddress, @escaping (AddressResult) -> Void) -> any ProbeAttempt
    private var candidates: ArraySlice<IPAddress>
    private var attempts: [(any ProbeAttempt)?] = []
    private var outcomes: [AddressResult?] = []
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
        if let result {
            guard result.outcome == .failure else { return }
            self.result = nil
            attempts = outcomes.map { _ in nil }
            candidates = addresses[...]
            next()
        } else {
            candidates += addresses
            if timer == nil { scheduleNext() }
        }
    }

    /// Ends all attempts because the deadline has passed.
    func expire() {
        guard result == nil else { return }
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
        guard result == nil, let address = candidates.popFirst() else { return }
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
        guard result == nil else { return }
        if new.outcome != .failure {
            finish(new)
        } else if !candidates.isEmpty {
            next()
        } else if outcomes.allSatisfy({ $0 != nil }) {
            finish(outcomes.compactMap { $0 }.first ?? new)
        }
    }

    private func finish(_ final: AddressResult) {
        result = final
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
