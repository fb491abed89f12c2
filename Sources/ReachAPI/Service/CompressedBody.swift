// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Synchronization

/// The gzip form of an answer, made when the first client asks for it and shared by all that do later.
final class CompressedBody: Sendable {
    /// What is shorter fits one packet either way.
    static let leastCount = 1_024

    private enum State {
        case unmade
        case made(PreparedBody)
        /// It does not get shorter.
        case useless
    }

    private let make: @Sendable () -> [UInt8]?
    private let state = Mutex(State.unmade)

    /// - Parameter make: Compresses; nil when that cannot be.
    init(_ make: @escaping @Sendable () -> [UInt8]?) {
        self.make = make
    }

    /// The compressed bytes, where they are shorter than the others.
    func body(shorterThan count: Int) -> PreparedBody? {
        guard count >= Self.leastCount else { return nil }
        switch state.withLock({ $0 }) {
        case .made(let body): return body
        case .useless: return nil
        case .unmade: break
        }
        // Two threads may make the same; either is right.
        let bytes = make()
        let body = bytes.flatMap { $0.count < count ? PreparedBody($0) : nil }
        state.withLock { $0 = body.map(State.made) ?? .useless }
        return body
    }
}
