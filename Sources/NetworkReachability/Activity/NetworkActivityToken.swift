// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// An activity that is counted until it is ended or the token is released (contract A26).
///
/// Pausing takes it out of the count without ending it, as a suspended task is (A3). All members may be used from any thread,
/// in any order and any number of times. The token does not keep the manager alive, nor the manager the token.
public final class NetworkActivityToken: Sendable {
    private enum Phase {
        case counted, paused, ended
    }

    private struct State {
        var phase = Phase.counted
        /// Whether the manager's count holds the activity.
        var isInCount = true
    }

    /// What the manager's count lacks: true for one activity more, false for one fewer, nil for nothing.
    typealias Correction = @Sendable () -> Bool?

    private let state = Mutex(State())
    private let recount: @Sendable (_ correction: Correction) -> Void

    /// Creates a token of an activity that is counted already.
    ///
    /// - Parameter recount: Corrects the count. It asks for the correction under the lock of the count, so that of two threads
    ///   that pause and resume the last change wins; it is called without a lock of the token, because observers of the count
    ///   are called in it.
    init(recount: @escaping @Sendable (_ correction: Correction) -> Void) {
        self.recount = recount
    }

    deinit {
        end()
    }

    /// Takes the activity out of the count until ``resume()``; without effect on one that is paused or ended.
    public func pause() {
        move(to: .paused)
    }

    /// Counts a paused activity again; without effect on one that is counted or ended.
    public func resume() {
        move(to: .counted)
    }

    /// Ends the activity for good.
    public func end() {
        move(to: .ended)
    }

    /// Whether the activity is counted: neither paused nor ended.
    public var isCounted: Bool {
        state.withLock { $0.phase == .counted }
    }

    /// Whether ``pause()`` was called, and neither ``resume()`` nor ``end()`` since.
    public var isPaused: Bool {
        state.withLock { $0.phase == .paused }
    }

    /// Whether ``end()`` was called.
    public var isEnded: Bool {
        state.withLock { $0.phase == .ended }
    }

    private func move(to next: Phase) {
        let isChange = state.withLock { state in
            guard state.phase != next, state.phase != .ended else { return false }
            state.phase = next
            return (next == .counted) != state.isInCount
        }
        guard isChange else { return }
        recount {
            state.withLock { state in
                let isWanted = state.phase == .counted
                guard isWanted != state.isInCount else { return nil }
                state.isInCount = isWanted
                return isWanted
            }
        }
    }
}
