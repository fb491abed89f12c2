// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Testing

@testable import Monitoring

/// A fault of the network beside another fault, a restart, or a busy machine.
@Suite("Faults beside each other") struct CompoundFaultTests {
    private static func addresses(_ count: Int) -> Set<IPAddress> {
        Set((0..<count).compactMap { IPAddress(SharedFaultScene.address($0)) })
    }

    @Test(
        "A result that reachd was too late to see during a router's outage makes no target down after it",
        arguments: [8, 30],
        [300, 900, 1_500]
    )
    func stall(count: Int, milliseconds: Int) throws {
        let network = try SharedFaultScene(count, interval: .seconds(2))
        network.settle()
        network.passed = 1
        network.scene.advance(.seconds(20))
        network.scene.advance(.milliseconds(milliseconds))
        network.scene.world.stall(.milliseconds(2_600))
        network.scene.advance(.milliseconds(100))
        // One is silent a little longer than the router.
        network.dead = Self.addresses(1)
        network.passed = 3
        network.scene.advance(.seconds(3))
        network.dead = []
        network.scene.advance(.seconds(30))
        #expect(network.states() == [.up] && network.everWas(.down).isEmpty)
        #expect(network.incidents.map(\.cause) == [IncidentCause(.hop, "192.0.2.1")])
    }

    @Test("A stall in a router's outage leaves its targets in the incident", arguments: [8, 30])
    func stallWithin(count: Int) throws {
        let network = try SharedFaultScene(count, interval: .seconds(2))
        network.settle()
        network.passed = 1
        network.scene.advance(.seconds(20))
        for _ in 0..<3 {
            network.scene.world.stall(.milliseconds(2_600))
            network.scene.advance(.milliseconds(5_300))
        }
        network.scene.advance(.seconds(10))
        #expect(network.states() == [.unreachable] && network.everWas(.down).isEmpty)
        #expect(network.incidents.map(\.counts.open) == [count])
    }

    @Test(
        "A router fails while a farther one is broken for some: two incidents, also after a restart",
        arguments: [8, 30],
        [false, true]
    )
    func nearer(count: Int, isRestarted: Bool) throws {
        var network = try SharedFaultScene(count, interval: .seconds(2))
        network.settle()
        network.restricted = ("10.80.3.", 2)
        network.scene.advance(.seconds(110))
        let far = try #require(network.incidents.first)
        (network.passed, network.restricted) = (1, nil)
        network.scene.advance(.seconds(110))
        let near = try #require(network.incidents.first { $0.id != far.id })
        if isRestarted {
            network = try SharedFaultScene(
                count,
                interval: .seconds(2),
                restoring: try #require(network.scene.registry.routes(after: nil)?.routes),
                incidents: network.scene.registry.storedIncidents,
                passed: 1
            )
            network.scene.advance(.seconds(150))
        }
        #expect(Set(network.incidents.filter(\.isOpen).map(\.id)) == [far.id, near.id])
        #expect(network.incidents.allSatisfy { $0.reopenings == 0 })
        (network.passed, network.restricted) = (3, ("10.80.3.", 2))
        network.scene.advance(.seconds(150))
        #expect(network.incidents.filter(\.isOpen).map(\.id) == [far.id])
        network.restricted = nil
        network.scene.advance(.seconds(70))
        #expect(network.states() == [.up] && network.everWas(.down).isEmpty)
        #expect(network.incidents.count == 2 && network.incidents.allSatisfy { !$0.isOpen && $0.reopenings == 0 })
    }

    @Test("A host that was dead before a router lost its route stays down over a restart", arguments: [5, 30])
    func restartOfDead(count: Int) throws {
        let before = try SharedFaultScene(count, interval: .seconds(2))
        before.settle()
        before.dead = Self.addresses(1)
        before.scene.advance(.seconds(30))
        let own = try #require(before.incidents.first)
        (before.passed, before.reported) = (2, Self.addresses(count))
        before.scene.advance(.seconds(30))
        #expect(before.scene.state("t0") == .down)
        let after = try SharedFaultScene(
            count,
            interval: .seconds(2),
            restoring: try #require(before.scene.registry.routes(after: nil)?.routes),
            incidents: before.scene.registry.storedIncidents,
            passed: 2,
            dead: before.dead
        )
        after.reported = before.reported
        after.scene.advance(.seconds(30))
        #expect(after.scene.state("t0") == .down && !after.everWas(.unreachable).contains("t0"))
        #expect(after.incidents.first { $0.id == own.id }?.isOpen == true)
        (after.passed, after.reported) = (3, [])
        after.scene.advance(.seconds(30))
        #expect(after.everWas(.down) == ["t0"] && after.incidents.filter(\.isOpen).map(\.id) == [own.id])
    }

    @Test("Where a router has no route to the next one, and that is a target, all is one incident", arguments: [4, 30])
    func unroutedRouter(count: Int) throws {
        let network = try SharedFaultScene(count, watching: SharedFaultScene.routers[2])
        network.settle()
        network.reported = Self.addresses(count)
        network.passed = 2
        network.scene.advance(.seconds(120))
        #expect(network.states() == [.unreachable] && network.scene.transitions("router") == [.up, .unreachable])
        #expect(network.incidents.map(\.cause) == [IncidentCause(.router, "10.9.1.2")])
        network.passed = 3
        network.scene.advance(.seconds(70))
        #expect(network.states() == [.up] && network.incidents.allSatisfy { !$0.isOpen })
    }
}
