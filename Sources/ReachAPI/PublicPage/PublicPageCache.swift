// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// Keeps the public page and its feed as they were made last, so that many readers cost what one does.
final class PublicPageCache: Sendable {
    /// How long an answer is used, and how long the days of targets are, in nanoseconds.
    static let lifetime: UInt64 = 5_000_000_000
    private static let barLifetime: UInt64 = 300_000_000_000

    /// The page and the feed.
    struct Answers: Sendable {
        let page: PreparedAnswer
        let feed: PreparedAnswer
    }

    private struct State {
        var settings = PublicPageSettings()
        var answers: (made: UInt64, Answers)?
        var bars: [String: PublicBars] = [:]
        var barsMade: UInt64?
        var isReading = false
    }

    private let state = Mutex(State())

    /// What the page shows. A change makes it anew.
    var settings: PublicPageSettings {
        get { state.withLock { $0.settings } }
        set {
            state.withLock { state in
                guard state.settings != newValue else { return }
                state = State(settings: newValue, isReading: state.isReading)
            }
        }
    }

    /// The answers that are new enough; nil when they must be made.
    func answers(at now: UInt64) -> Answers? {
        state.withLock { state in state.answers.flatMap { now &- $0.made < Self.lifetime ? $0.1 : nil } }
    }

    func keep(_ answers: Answers, at now: UInt64) {
        state.withLock { $0.answers = (now, answers) }
    }

    var bars: [String: PublicBars] { state.withLock { $0.bars } }

    /// Whether the days of targets are to be read, by the caller, who must call ``keepBars(_:at:)``.
    ///
    /// - Returns: nil when they are not; else whether there are none yet.
    func beginReading(at now: UInt64) -> Bool? {
        state.withLock { state in
            let isOld = state.barsMade.map { now &- $0 >= Self.barLifetime } ?? true
            guard isOld, !state.isReading else { return nil }
            state.isReading = true
            return state.barsMade == nil
        }
    }

    /// - Parameter bars: nil when they could not be read: the old ones stay.
    func keepBars(_ bars: [String: PublicBars]?, at now: UInt64) {
        state.withLock { state in
            state.isReading = false
            state.barsMade = now
            if let bars { state.bars = bars }
            state.answers = nil
        }
    }
}
