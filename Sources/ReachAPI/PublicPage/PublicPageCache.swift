// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// Keeps the public page and its feed as they were made last, so that many readers cost what one does, and has them made by one
/// job at a time. Any thread.
final class PublicPageCache: Sendable {
    /// How long an answer is used, in nanoseconds.
    static let lifetime: UInt64 = 5_000_000_000
    /// How old an answer may be that is used while the next one is made, in nanoseconds.
    static let patience: UInt64 = 15_000_000_000
    /// How long the days of targets are used, in nanoseconds.
    private static let barLifetime: UInt64 = 300_000_000_000
    /// The maximum number of requests that wait for an answer.
    static let maximumWaiting = 64

    /// The page and the feed.
    struct Answers: Sendable {
        let page: PreparedAnswer
        let feed: PreparedAnswer
    }

    /// Receives the answers that were made; nil when there is no page any more.
    typealias Completion = @Sendable (Answers?) -> Void

    /// What becomes of a request.
    enum Admission: Sendable {
        /// It gets these answers.
        case answered(Answers)
        /// Its completion is called later.
        case waiting
        /// Too many requests are waiting.
        case refused
        /// There is no page.
        case noPage
    }

    /// What answers are made of.
    struct Order: Sendable {
        let settings: PublicPageSettings
        /// The days of targets by their ids, as they are known.
        let bars: [String: PublicBars]
        /// Whether they are to be read again.
        let needsBars: Bool
        fileprivate let generation: UInt64
    }

    private struct State {
        var settings = PublicPageSettings()
        /// Another number after every change of the settings: what was made for others is not used.
        var generation: UInt64 = 0
        var answers: (made: UInt64, Answers)?
        var bars: [String: PublicBars] = [:]
        var barsMade: UInt64?
        var isMaking = false
        var waiting: [Completion] = []

        /// Ends the making, and returns the completions to call.
        mutating func stopMaking() -> [Completion] {
            isMaking = false
            defer { waiting = [] }
            return waiting
        }
    }

    private let state = Mutex(State())

    /// What the page shows. A change makes it anew.
    var settings: PublicPageSettings {
        get { state.withLock { $0.settings } }
        set {
            state.withLock { state in
                guard state.settings != newValue else { return }
                state.settings = newValue
                state.generation += 1
                state.answers = nil
                (state.bars, state.barsMade) = ([:], nil)
            }
        }
    }

    /// Takes a request.
    ///
    /// - Parameters:
    ///   - now: monotonic time in nanoseconds.
    ///   - completion: called later, on any thread, if the request waits; not otherwise.
    /// - Returns: what becomes of it, and whether the caller must have a job make answers: it calls ``begin(at:)`` and ``finish``.
    func admit(at now: UInt64, _ completion: @escaping Completion) -> (Admission, mustMake: Bool) {
        state.withLock { state -> (Admission, mustMake: Bool) in
            guard !state.settings.groups.isEmpty else { return (.noPage, false) }
            let age = state.answers.map { now &- $0.made }
            if let answers = state.answers?.1, let age, age < Self.lifetime { return (.answered(answers), false) }
            let mustMake = !state.isMaking
            state.isMaking = true
            let isFull = state.waiting.count >= Self.maximumWaiting
            if let answers = state.answers?.1, let age, age < Self.patience || isFull {
                return (.answered(answers), mustMake)
            }
            guard !isFull else { return (.refused, mustMake) }
            state.waiting.append(completion)
            return (.waiting, mustMake)
        }
    }

    /// What to make; nil when there is no page any more: then nothing is to be made, and no request waits.
    func begin(at now: UInt64) -> Order? {
        let (order, waiting) = state.withLock { state -> (Order?, [Completion]) in
            guard !state.settings.groups.isEmpty else { return (nil, state.stopMaking()) }
            let isOld = state.barsMade.map { now &- $0 >= Self.barLifetime } ?? true
            let order = Order(
                settings: state.settings,
                bars: state.bars,
                needsBars: isOld,
                generation: state.generation
            )
            return (order, [])
        }
        for completion in waiting { completion(nil) }
        return order
    }

    /// Keeps what was made, and calls the completions of the requests that waited.
    ///
    /// - Parameters:
    ///   - order: what it was made of.
    ///   - bars: the days of targets that were read; nil when they were not, or could not be: the old ones stay.
    ///   - now: when the state of the targets was read.
    /// - Returns: whether it is used; otherwise the settings have changed, and it must be made again.
    func finish(_ order: Order, _ answers: Answers, bars: [String: PublicBars]?, at now: UInt64) -> Bool {
        let waiting = state.withLock { state -> [Completion]? in
            guard state.generation == order.generation else { return nil }
            if order.needsBars { state.barsMade = now }
            if let bars { state.bars = bars }
            state.answers = (now, answers)
            return state.stopMaking()
        }
        for completion in waiting ?? [] { completion(answers) }
        return waiting != nil
    }
}
