// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Probing
import Testing

@testable import Monitoring

@Suite("The cause decision")
struct CauseDecisionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rule: CauseRule
        let cause: StateCause?
        let facts: CauseFacts
        var testDescription: String { "\(rule.rawValue): \(facts)" }

        init(_ rule: CauseRule, _ cause: StateCause?, _ facts: CauseFacts) {
            self.rule = rule
            self.cause = cause
            self.facts = facts
        }
    }

    private static let lost = AnchorCounts(up: 0, down: 3, total: 3, quorum: 2)
    private static let all = AnchorCounts(up: 3, down: 0, total: 3, quorum: 2)

    /// Each row with everything below it in the table true as well, where that can be.
    static let rows: [Row] = [
        Row(.kernelRefused, .`self`, everything(.kernelRefused)),
        Row(.nameUnresolved, .dns, everything(.nameUnresolved)),
        Row(.noPath, .localNetwork, everything(.noRoute)),
        Row(.noPath, .localNetwork, CauseFacts(unsatisfiedReason: .linkDown)),
        Row(.parentDown, .parent, everything(nil, isParentDown: true)),
        Row(.parentDown, .parent, CauseFacts(isParentDown: true)),
        Row(.nothingFailed, nil, everything(nil, failure: .none)),
        Row(.nothingFailed, nil, CauseFacts()),
        Row(.notSent, .`self`, CauseFacts(failure: .local, gateway: .silent, anchors: lost)),
        Row(.notSent, .`self`, everything(nil)),
        Row(.ownFirewall, .localNetwork, everything(nil, failure: .ownFirewall)),
        Row(.wrongAddress, .dns, everything(nil, failure: .wrongAddress)),
        Row(.wrongAnswer, .target, everything(nil, failure: .answered)),
        Row(.targetRejects, .target, everything(nil, offender: .target)),
        Row(.gatewayRejects, .localNetwork, everything(nil, offender: .gateway)),
        Row(.routerRejects, .path, everything(nil, offender: .router)),
        // The kernel's own report says nothing beyond the errno; a target that must not answer is decided below.
        Row(.gatewaySilent, .localNetwork, CauseFacts(failure: .silent, gateway: .silent, offender: .thisMachine)),
        Row(.wayUnproven, .localNetwork, CauseFacts(failure: .absent, gateway: .answers, offender: .router)),
        Row(.tooLate, .`self`, everything(nil, isOutOfDescriptors: false)),
        Row(.tooLate, .`self`, CauseFacts(failure: .resolution, schedulerLag: .seconds(1), lagLimit: .seconds(1))),
        Row(.gatewaySilent, .localNetwork, CauseFacts(failure: .silent, gateway: .silent, anchors: lost)),
        Row(.gatewaySilent, .localNetwork, CauseFacts(failure: .resolution, gateway: .silent)),
        Row(.internetDown, .localNetwork, CauseFacts(failure: .silent, gateway: .answers, anchors: lost)),
        Row(.internetDown, .localNetwork, CauseFacts(failure: .resolution, gateway: .unknown, anchors: lost)),
        Row(.tooLate, .`self`, everything(nil, failure: .absent, isOutOfDescriptors: false)),
        Row(.gatewaySilent, .localNetwork, CauseFacts(failure: .absent, gateway: .silent, isWayProven: true)),
        Row(.internetDown, .localNetwork, CauseFacts(failure: .absent, gateway: .answers, anchors: lost)),
        Row(.wayUnproven, .localNetwork, CauseFacts(failure: .absent, gateway: .answers)),
        Row(.nothingFailed, nil, CauseFacts(failure: .absent, gateway: .answers, isWayProven: true)),
        Row(.resolutionFailed, .dns, CauseFacts(failure: .resolution, gateway: .answers, anchors: all)),
        Row(.resolutionFailed, .dns, CauseFacts(failure: .resolution, gateway: .notNeeded, anchors: lost)),
        Row(.noAnswer, .target, CauseFacts(failure: .silent, gateway: .notNeeded, anchors: lost)),
        Row(.noAnswer, .target, CauseFacts(failure: .silent, gateway: .answers, anchors: all)),
        Row(.noAnswer, .target, CauseFacts(failure: .silent, schedulerLag: .milliseconds(999))),
    ]

    @Test("files that are missing on this machine do not make the target the cause")
    func files() {
        for reason in [ProbeReason.credentialsUnavailable, .tlsFilesUnreadable, .permissionDenied, .invalidRequest] {
            #expect(reason.failure == .local)
            #expect(CauseDecision(CauseFacts(failure: reason.failure)).rule == .notSent)
        }
    }

    private static func everything(
        _ reason: UnsatisfiedReason?,
        isParentDown: Bool? = nil,
        failure: ProbeFailure = .silent,
        isOutOfDescriptors: Bool = true,
        offender: Offender.Role? = nil
    ) -> CauseFacts {
        CauseFacts(
            failure: failure,
            unsatisfiedReason: reason,
            gateway: .silent,
            anchors: lost,
            isParentDown: isParentDown ?? (reason != nil),
            schedulerLag: .seconds(60),
            isOutOfDescriptors: isOutOfDescriptors,
            offender: offender
        )
    }

    @Test("C1–C12: every row", arguments: rows)
    func table(row: Row) {
        let decision = CauseDecision(row.facts)
        #expect(decision.rule == row.rule)
        #expect(decision.cause == row.cause)
        #expect(decision.isInternetDown == (row.facts.anchors == Self.lost))
    }

    @Test("Every rule has a row")
    func complete() {
        // A trace and an investigation, not the decision, find these (TargetTracesTests, PathMTUMonitorTests).
        #expect(
            Set(Self.rows.map(\.rule))
                == Set(CauseRule.allCases).subtracting([.pathBroken, .mtuBlackHole, .hostAbsent])
        )
    }

    @Test("Each path reason except two has cause local_network")
    func reasons() {
        for reason in UnsatisfiedReason.allCases where reason != .kernelRefused && reason != .nameUnresolved {
            #expect(CauseDecision(CauseFacts(unsatisfiedReason: reason)).cause == .localNetwork)
        }
    }

    @Test(
        "The internet is down when the quorum can no longer be reached",
        arguments: [
            (0, 0, 0, 1, false), (1, 0, 1, 1, false), (0, 1, 1, 1, true), (0, 0, 3, 2, false), (0, 1, 3, 2, false),
            (0, 2, 3, 2, true), (1, 2, 3, 2, true), (2, 1, 3, 2, false), (1, 2, 3, 1, false), (0, 3, 3, 1, true),
            (2, 1, 3, 9, true), (3, 0, 3, 9, false), (0, 3, 3, 0, true), (-1, -1, -1, -1, false), (5, 5, 3, 2, false),
        ]
    )
    func quorum(up: Int, down: Int, total: Int, quorum: Int, isDown: Bool) {
        #expect(AnchorCounts(up: up, down: down, total: total, quorum: quorum).isInternetDown == isDown)
    }

    @Test("An unexpected address has cause dns, whatever else is silent")
    func wrongAddress() {
        #expect(ProbeReason.addressMismatch.failure == .wrongAddress)
        let facts = CauseFacts(failure: ProbeReason.addressMismatch.failure, gateway: .silent, anchors: Self.lost)
        #expect(CauseDecision(facts).cause == .dns)
    }

    @Test("C10b: evidence for a working path to a target that must not respond")
    func evidence() {
        func isProven(
            _ absence: ProbeReason,
            _ gateway: GatewayAnswer,
            _ anchors: AnchorCounts? = nil,
            neighbour: Bool = false
        ) -> Bool {
            NetworkEvidence.isProven(absence, gateway: gateway, anchors: anchors) { neighbour }
        }
        let few = AnchorCounts(up: 1, down: 0, total: 3, quorum: 2)
        #expect(isProven(.timeout, .notNeeded))
        #expect(isProven(.timeout, .answers), "as far as the gateway")
        #expect(!isProven(.timeout, .unknown), "a gateway that never answers shows nothing")
        #expect(!isProven(.timeout, .answers, few), "there are anchors, and not enough of them answered yet")
        #expect(isProven(.timeout, .unknown, Self.all))
        #expect(isProven(.timeout, .unknown, neighbour: true))
        #expect(isProven(.timeout, .answers, few, neighbour: true))
        for routers in [ProbeReason.networkUnreachable, .hostUnreachable, .ttlExceeded] {
            #expect(!isProven(routers, .answers), "a router without a route may have lost all of them")
            #expect(isProven(routers, .answers, Self.all))
            #expect(isProven(routers, .unknown, neighbour: true))
        }
        #expect(isProven(.prohibited, .unknown), "the firewall itself says so")
    }
}
