// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Monitoring

@Suite("Anchors that have to answer before a silent target is blamed")
struct AnchorCheckTests {
    private typealias Anchor = AnchorCheck.Anchor

    private static let second: UInt64 = 1_000_000_000
    /// When the probe of the silent target began.
    private static let start = 100 * second

    private static func check(quorum: Int = 1) -> AnchorCheck {
        AnchorCheck(ids: ["a", "b", "c"], quorum: quorum, longAnswer: 1_500_000_000)
    }

    /// - Parameter offset: When its probe began, in seconds after the silent target's.
    private static func anchor(
        _ ordinal: UInt64,
        _ offset: Int,
        isRunning: Bool = false,
        isHeld: Bool = false,
        responded: Bool = true
    ) -> Anchor {
        Anchor(
            ordinal: ordinal,
            startedAt: UInt64(Int(start / second) + offset) * second,
            isRunning: isRunning,
            isHeld: isHeld,
            responded: responded
        )
    }

    private static func missing(_ anchors: [Anchor], quorum: Int = 1) -> [UInt64] {
        check(quorum: quorum).missing(of: anchors, since: start).map(\.ordinal)
    }

    @Test("An anchor that was probed before, or at the same moment, has not answered since")
    func earlier() {
        #expect(Self.missing([Self.anchor(1, -5), Self.anchor(2, 0)]) == [1, 2])
        #expect(Self.missing([Self.anchor(1, -5), Self.anchor(2, 1)]).isEmpty)
    }

    @Test("A probe that runs, and a silent result that waits, are not answers, whatever the anchor answered before")
    func pending() {
        let pending = [Self.anchor(1, 1, isRunning: true), Self.anchor(2, 1, isHeld: true)]
        #expect(Self.missing(pending) == [1, 2])
        #expect(Self.missing(pending + [Self.anchor(3, 1)]).isEmpty)
    }

    @Test("As many anchors as the quorum have to answer; one that failed since is not missing, and does not count")
    func quorum() {
        let anchors = [Self.anchor(1, 1), Self.anchor(2, 1, responded: false), Self.anchor(3, -1)]
        #expect(Self.missing(anchors, quorum: 1).isEmpty)
        #expect(Self.missing(anchors, quorum: 2) == [3])
        let failed = [Self.anchor(1, 1, responded: false), Self.anchor(2, 1, responded: false)]
        #expect(Self.missing(failed).isEmpty, "all have answered, or failed to")
        #expect(Self.missing([]).isEmpty, "nothing to wait for without anchors")
    }

    @Test("An anchor is probed at once, but at most once a second, and not while its result is on its way")
    func due() {
        let (check, now) = (Self.check(), Self.start + Self.second / 4)
        #expect(check.due(of: Self.anchor(1, -5), at: now) == now)
        #expect(check.due(of: Self.anchor(1, 0), at: now) == Self.start + Self.second)
        #expect(check.due(of: Self.anchor(1, -5, isRunning: true), at: now) == nil)
        #expect(check.due(of: Self.anchor(1, -5, isHeld: true), at: now) == nil)
    }

    @Test("A held anchor is silent; one that runs is after 1.5 s, counted from the later of both probes")
    func silent() {
        let check = Self.check()
        let anchors = [
            Self.anchor(1, -60, isRunning: true), Self.anchor(2, 1, isRunning: true), Self.anchor(3, 1, isHeld: true),
            Self.anchor(4, -1),
        ]
        func silent(after milliseconds: UInt64) -> Set<UInt64> {
            check.silent(of: anchors, since: Self.start, at: Self.start + milliseconds * 1_000_000)
        }
        #expect(silent(after: 1_499) == [3])
        #expect(silent(after: 1_500) == [1, 3])
        #expect(silent(after: 2_499) == [1, 3])
        #expect(silent(after: 2_500) == [1, 2, 3])
        #expect(
            check.silent(of: anchors + [Self.anchor(5, 1)], since: Self.start, at: .max).isEmpty,
            "enough anchors have answered"
        )
    }

    @Test("Results are kept in the order of their targets, each with the start of its probe, until they are released")
    func results() {
        var check = Self.check()
        #expect(!check.isAwaited)
        check.hold(7, since: 70)
        check.hold(3, since: 30)
        check.hold(5, since: 50)
        check.hold(5, since: 51)
        #expect(check.results.map(\.ordinal) == [3, 5, 7])
        #expect(check.results.map(\.start) == [30, 51, 70])
        #expect(check.isAwaited(by: 5) && !check.isAwaited(by: 4))
        check.release(5)
        check.release(4)
        #expect(check.results.map(\.ordinal) == [3, 7])
        check.release(3)
        #expect(check.isAwaited)
        check.release(7)
        #expect(!check.isAwaited && check.results.isEmpty)
    }
}
