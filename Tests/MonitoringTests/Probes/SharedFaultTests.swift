// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Diagnosis
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

/// Targets in four networks, 10.80.1.0/24 to 10.80.4.0/24, behind three routers, and one target behind the first router alone. Where a
/// router is a target, there is one behind the first two, too.
final class SharedFaultScene {
    static let routers = ["192.0.2.1", "10.9.1.2", "10.9.2.2"]
    let scene: DriverScene
    let ids: [String]
    /// The number of routers that packets pass; those behind are not reached.
    var passed = 3
    /// The beginning of addresses to which they pass fewer, and how many.
    var restricted: (addresses: String, passed: Int)?
    /// The beginning of addresses behind a third router of their own.
    var branch: String?
    /// The beginning of addresses whose traces the last router of those that they come to does not answer: it spent its errors.
    var unanswered: String?
    /// When the last routers pass packets again, by the world's clock: a connection's packet that is repeated by then arrives.
    var repairedAt: UInt64?
    /// Hosts that are off.
    var dead: Set<IPAddress> = []
    /// Hosts of whose packets the last router that they come to reports that it has no route.
    var reported: Set<IPAddress> = []

    init(
        _ count: Int,
        interval: Duration = .seconds(30),
        fall: Int = 3,
        settings: ProbingSettings = ProbingSettings(),
        branch: String? = nil,
        restoring: [StoredRoute] = [],
        incidents: [StoredIncident] = [],
        passed: Int = 3,
        dead: Set<IPAddress> = [],
        watching router: String? = nil
    ) throws {
        scene = DriverScene(settings)
        self.passed = passed
        (self.dead, self.branch) = (dead, branch)
        ids = (0..<count).map { "t\($0)" }
        var targets = [try TargetSettings.probed("near", "10.70.0.1", interval: interval, fall: fall)]
        if let router {
            targets.append(try .probed("router", router, interval: interval, fall: fall))
            targets.append(try .probed("beside", "10.71.0.1", interval: interval, fall: fall))
        }
        for index in 0..<count {
            targets.append(try .probed("t\(index)", Self.address(index), interval: interval, fall: fall))
            let address = IPAddress(Self.address(index)) ?? IPAddress(ipv4: 0)
            scene.world.addresses[.address(address)] = address
        }
        scene.world.behaviour = { [unowned self] request in answer(request) }
        scene.world.traceBehaviour = { [unowned self] request in trace(request) }
        scene.registry.restoreRoutes(restoring)
        scene.registry.beginIncidents(incidents)
        scene.apply(targets)
        scene.path(.up())
    }

    static func address(_ index: Int) -> String { "10.80.\(index % 4 + 1).\(index / 4 + 1)" }

    private func routers(to address: IPAddress) -> [String] {
        branch.map("\(address)".hasPrefix) == true ? Self.routers.dropLast() + ["10.9.3.2"] : Self.routers
    }

    private func depth(_ address: IPAddress) -> Int {
        let text = "\(address)"
        return text.hasPrefix("10.70.") ? 1 : text.hasPrefix("10.71.") || text == Self.routers[1] ? 2 : 3
    }

    private func passed(to address: IPAddress) -> Int {
        if let restricted, "\(address)".hasPrefix(restricted.addresses) { restricted.passed } else { passed }
    }

    private func answer(_ request: ProbeRequest) -> (UInt64, ProbeResult) {
        guard case .address(let address) = request.host else { return (1_000_000, .failure(.nameError)) }
        if address == IPAddress(Self.routers[0]) || "\(address)" == "192.0.2.254" { return (1_000_000, .success) }
        guard passed(to: address) >= depth(address), !dead.contains(address) else {
            if reported.contains(address) { return (2_000_000, noRoute(to: address)) }
            let now = scene.world.now()
            let repeated = [1, 3].map { now + $0 * 1_000_000_000 }.first { $0 >= repairedAt ?? .max }
            if let repeated, !dead.contains(address) {
                let took = repeated - now + 2_000_000
                let duration = Duration.nanoseconds(Int64(took))
                return (took, ProbeResult(outcome: .success, detail: "", duration: duration, address: address))
            }
            return (5_000_000_000, .failure(.timeout, after: request.timeout, at: address))
        }
        return (2_000_000, ProbeResult(outcome: .success, detail: "", duration: .milliseconds(2), address: address))
    }

    private func noRoute(to address: IPAddress) -> ProbeResult {
        let passed = passed(to: address)
        let router = IPAddress(Self.routers[max(passed, 1) - 1]) ?? IPAddress(ipv4: 0)
        let fate = SimulatedNetwork.Fate.unreachable(router, isHost: false, hops: max(passed, 1), after: 2_000_000)
        var result = ProbeResult.failure(.networkUnreachable, after: .milliseconds(2), at: address)
        result.packetError = fate.error(peer: address)
        return result
    }

    private func trace(_ request: TraceRequest) -> (UInt64, TraceResult) {
        let (depth, passed) = (depth(request.destination), passed(to: request.destination))
        let routers = routers(to: request.destination)
        if passed >= depth, !dead.contains(request.destination) {
            return (20_000_000, .reached(request, by: Array(routers.prefix(depth))))
        }
        let isAnswered = unanswered.map("\(request.destination)".hasPrefix) != true
        let last = min(passed, depth) - (isAnswered ? 0 : 1)
        return (2_000_000_000, .silent(request, behind: Array(routers.prefix(last))))
    }

    func states() -> Set<TargetState> { Set(ids.compactMap { scene.state($0) }) }

    func rules() -> Set<CauseRule?> { Set(ids.map { scene.registry.target($0)?.evaluation?.diagnosis?.rule }) }

    /// Whether a target was ever in a state.
    func everWas(_ state: TargetState) -> [String] { ids.filter { scene.transitions($0).contains(state) } }

    var incidents: [Incident] { scene.registry.incidents(IncidentQuery()).incidents }

    /// Lets time pass until all targets were probed and their routes are known.
    func settle() {
        scene.advance(.seconds(90))
        #expect(states() == [.up])
    }
}

/// One fault of the network is one conclusion for all targets that it concerns (design of the diagnosis, W1–W8).
@Suite("One diagnosis for all targets") struct SharedFaultTests {
    @Test(
        "W1: a router in the middle drops: no target is down, all name the hop, one incident",
        arguments: [1, 5, 20, 30, 200],
        [30, 2]
    )
    func drops(count: Int, seconds: Int) throws {
        let network = try SharedFaultScene(count, interval: .seconds(seconds))
        network.settle()
        network.passed = 1
        network.scene.advance(.seconds(120))
        #expect(network.states() == [.unreachable] && network.rules() == [.pathBroken])
        #expect(network.everWas(.down).isEmpty)
        #expect(network.scene.state("near") == .up)
        let incident = try #require(network.incidents.first)
        #expect(network.incidents.count == 1 && incident.counts.total == count && incident.severity == .unreachable)
        #expect(incident.cause == IncidentCause(.hop, "192.0.2.1"))
        // Recovery: asked at once, and up together.
        network.passed = 3
        network.scene.advance(.seconds(seconds + 40))
        #expect(network.states() == [.up] && network.everWas(.down).isEmpty)
        #expect(network.incidents.map(\.isOpen) == [false])
        for id in network.ids { #expect(network.scene.transitions(id) == [.up, .unreachable, .up]) }
    }

    @Test("Where the router that is dead is a target, the diagnosis shows the end of the way, and not each host")
    func routerTarget() throws {
        let network = try SharedFaultScene(8, watching: SharedFaultScene.routers[1])
        network.settle()
        network.passed = 1
        network.scene.advance(.seconds(120))
        let incident = try #require(network.incidents.first)
        #expect(network.incidents.count == 1 && incident.cause == IncidentCause(.silence, SharedFaultScene.routers[1]))
        let details = network.scene.registry.diagnosedIncident(incident.id, membersFrom: 0, limit: 10)
        let diagnosis = try #require(details?.diagnosis)
        #expect(diagnosis.text.contains("after 192.0.2.1 (hop 1)"), "\(diagnosis.text)")
        #expect(diagnosis.elements.contains { $0.isAtFault } && !diagnosis.elements.contains { $0.kind == .host })
    }

    @Test("A fault that ends for some networks goes on for the others: one incident", arguments: [4, 8, 30], [30, 2])
    func partialRecovery(count: Int, seconds: Int) throws {
        let network = try SharedFaultScene(count, interval: .seconds(seconds))
        network.settle()
        network.passed = 2
        network.scene.advance(.seconds(110))
        (network.passed, network.restricted) = (3, ("10.80.3.", 2))
        network.scene.advance(.seconds(150))
        for (index, id) in network.ids.enumerated() {
            #expect(network.scene.state(id) == (index % 4 == 2 ? .unreachable : .up), "\(id)")
        }
        #expect(network.everWas(.down).isEmpty)
        #expect(network.incidents.map(\.cause) == [IncidentCause(.hop, "10.9.1.2")])
        #expect(network.incidents.map(\.reopenings) == [0])
        network.restricted = nil
        network.scene.advance(.seconds(seconds + 40))
        #expect(network.states() == [.up] && network.everWas(.down).isEmpty)
        #expect(network.incidents.map(\.isOpen) == [false])
    }

    @Test("A fault that moves along the way, where no probe comes, is found there", arguments: [4, 8, 30], [30, 2])
    func moved(count: Int, seconds: Int) throws {
        let network = try SharedFaultScene(count, interval: .seconds(seconds))
        network.settle()
        network.passed = 1
        network.scene.advance(.seconds(110))
        #expect(network.incidents.map(\.cause) == [IncidentCause(.hop, "192.0.2.1")])
        network.passed = 3
        network.dead = Set(network.ids.indices.compactMap { IPAddress(SharedFaultScene.address($0)) })
        network.scene.advance(.seconds(360))
        #expect(network.states() == [.unreachable] && network.everWas(.down).isEmpty)
        #expect(network.incidents.filter(\.isOpen).map(\.cause) == [IncidentCause(.hop, "10.9.2.2")])
        #expect(network.incidents.count <= 2)
        network.dead = []
        network.scene.advance(.seconds(seconds + 40))
        #expect(network.states() == [.up] && network.everWas(.down).isEmpty)
        #expect(network.incidents.allSatisfy { !$0.isOpen })
    }

    @Test(
        "A fault that moves to a farther router, and so ends for some networks, is found there",
        arguments: [
            (8, 30, nil), (8, 2, nil), (30, 30, nil), (30, 2, nil), (30, 30, "10.80.2."), (100, 30, "10.80.2."),
        ]
    )
    func movedForSome(count: Int, seconds: Int, unanswered: String?) throws {
        let network = try SharedFaultScene(count, interval: .seconds(seconds), branch: "10.80.4.")
        network.settle()
        network.passed = 2
        network.scene.advance(.seconds(110))
        #expect(network.incidents.map(\.cause) == [IncidentCause(.hop, "10.9.1.2")])
        (network.passed, network.unanswered) = (3, unanswered)
        let isBranch = { (index: Int) in index % 4 == 3 }
        network.dead = Set(
            network.ids.indices.filter { !isBranch($0) }.compactMap { IPAddress(SharedFaultScene.address($0)) }
        )
        for _ in 0..<60 where !network.states().contains(.up) { network.scene.advance(.seconds(1)) }
        network.scene.advance(.seconds(25))
        let open = network.incidents.filter(\.isOpen)
        #expect(open.map(\.cause) == [IncidentCause(.hop, "10.9.2.2")])
        #expect(open.map(\.counts.open) == [network.dead.count] && network.incidents.count == 2)
        #expect(network.everWas(.down).isEmpty)
        network.dead = []
        network.scene.advance(.seconds(seconds + 40))
        #expect(network.states() == [.up] && network.incidents.allSatisfy { !$0.isOpen })
    }

    @Test(
        "A host that dies after a short or interrupted outage is down, and no loss explains it",
        arguments: [3, 4, 5, 8, 14, 30],
        [10, 25, 60]
    )
    func deadAfterOutage(count: Int, seconds: Int) throws {
        // How long this machine's own way is back when the router is; nil: it was never away.
        for back in [9, 8, 6, 5, 4, 3, nil] as [Int?] {
            let network = try SharedFaultScene(count)
            network.settle()
            network.passed = 1
            network.scene.advance(.seconds(18))
            if let back {
                network.scene.path(.down())
                network.scene.advance(.seconds(5))
                network.scene.path(.up(generation: 3))
                network.repairedAt = network.scene.world.now() + UInt64(back) * 1_000_000_000
                network.scene.advance(.seconds(back))
            }
            network.passed = 3
            for _ in 0..<60 where network.states() != [.up] { network.scene.advance(.seconds(1)) }
            #expect(network.states() == [.up])
            network.scene.advance(.seconds(seconds))
            network.dead = Set([IPAddress(SharedFaultScene.address(0))].compactMap(\.self))
            network.scene.advance(.seconds(55))
            #expect(network.scene.state("t0") == .down, "back: \(back ?? -1)")
            #expect(network.everWas(.down) == ["t0"])
        }
    }

    @Test(
        "A gateway without a route to some networks, and without an error left for traces, is one fault; who was down before stays so",
        arguments: [8, 30, 200],
        [0, 1, 12, 50]
    )
    func gatewayWithoutRoute(count: Int, reporting: Int) throws {
        let network = try SharedFaultScene(count, watching: SharedFaultScene.routers[1])
        network.settle()
        let hosts = network.ids.indices.compactMap { IPAddress(SharedFaultScene.address($0)) }
        network.dead = [hosts[0]]
        network.scene.advance(.seconds(60))
        #expect(network.scene.state("t0") == .down)
        network.dead = []
        // The first are reported, and then none.
        network.restricted = ("10.80.", 0)
        network.reported = Set(hosts)
        network.scene.advance(.seconds(reporting))
        network.reported = []
        network.scene.advance(.seconds(70))
        #expect(network.scene.state("t0") == .down)
        #expect(network.everWas(.down) == ["t0"])
        let rules = Set(network.ids.dropFirst().map { network.scene.registry.target($0)?.evaluation?.diagnosis?.rule })
        #expect(rules.count == 1 && rules.isSubset(of: [.gatewayRejects, .ownFirewall]), "\(rules)")
        #expect(network.incidents.filter(\.isOpen).count == 2, "\(network.incidents.map(\.title))")
        #expect(network.incidents.count == 2)
        network.restricted = nil
        network.scene.advance(.seconds(70))
        #expect(network.states() == [.up] && network.incidents.allSatisfy { !$0.isOpen })
    }

    @Test("A change of the gateway while a router drops makes no target down and no incident", arguments: [4, 8, 30])
    func gatewayChange(count: Int) throws {
        let network = try SharedFaultScene(count)
        network.settle()
        network.passed = 2
        network.scene.advance(.seconds(110))
        network.scene.path(.up(gateway: "192.0.2.254", generation: 2))
        network.scene.advance(.seconds(150))
        #expect(network.states() == [.unreachable] && network.everWas(.down).isEmpty)
        #expect(network.incidents.map(\.cause) == [IncidentCause(.hop, "10.9.1.2")])
        network.passed = 3
        network.scene.advance(.seconds(70))
        #expect(network.states() == [.up] && network.everWas(.down).isEmpty)
        #expect(network.incidents.map(\.isOpen) == [false])
    }

    @Test(
        "The targets behind a fault are asked when it is found: the first message names them all",
        arguments: [14, 100],
        ["traced", "silent", "reported"]
    )
    func askedTogether(count: Int, shown: String) throws {
        let network = try SharedFaultScene(count)
        network.settle()
        let hosts = Set(network.ids.indices.compactMap { IPAddress(SharedFaultScene.address($0)) })
        switch shown {
        case "traced": network.passed = 1
        // The last router still answers traces: only that all hosts behind it are silent shows that it drops.
        case "silent": network.dead = hosts
        default: (network.passed, network.reported) = (2, hosts)
        }
        while !network.states().contains(.unreachable) { network.scene.advance(.seconds(1)) }
        network.scene.advance(.seconds(9))
        #expect(network.states() == [.unreachable])
    }

    @Test("W1: the last router drops: its networks fall silent together, none is down", arguments: [4, 20, 200])
    func lastRouter(count: Int) throws {
        let network = try SharedFaultScene(count)
        network.settle()
        network.passed = 2
        network.scene.advance(.seconds(120))
        #expect(network.states() == [.unreachable] && network.everWas(.down).isEmpty)
        #expect(network.incidents.map(\.cause) == [IncidentCause(.hop, "10.9.1.2")])
    }

    @Test(
        "W14: hosts that answered behind a gateway, and are looked for on the link since, are one fault of this network"
    )
    func wrongNetmask() throws {
        let network = try SharedFaultScene(8)
        network.settle()
        network.passed = 0
        let onLink = NetworkPath(
            flags: .reachable,
            interface: NetworkInterface(name: "eth0", index: 2, type: .wiredEthernet),
            sourceAddress: IPAddress("192.0.2.7"),
            supportsIPv4: true,
            generation: 2
        )
        network.scene.path(onLink)
        network.scene.advance(.seconds(120))
        #expect(network.states() == [.unreachable] && network.rules() == [.gatewaySilent])
        #expect(network.scene.cause("t0") == .localNetwork && network.everWas(.down).isEmpty)
        #expect(network.incidents.map(\.cause) == [IncidentCause(.route, "no_route IPv4")])
        #expect(network.incidents.first?.title == "No neighbour answers on the link: 9 targets unreachable")
        // They are on the link: one that falls silent there is down.
        network.passed = 3
        network.scene.advance(.seconds(120))
        #expect(network.states() == [.up])
        network.dead = [try #require(IPAddress(SharedFaultScene.address(0)))]
        network.scene.advance(.seconds(120))
        #expect(network.everWas(.down) == ["t0"])
    }

    @Test("W2: an outage of an hour is one verdict and one incident")
    func hour() throws {
        let network = try SharedFaultScene(5)
        network.settle()
        network.passed = 1
        network.scene.advance(.seconds(3_600))
        for id in network.ids { #expect(network.scene.transitions(id) == [.up, .unreachable]) }
        #expect(network.incidents.count == 1 && network.incidents.first?.reopenings == 0)
    }

    @Test("W3: with fall 1 a verdict of silence waits for the trace, at most diagnosis_wait")
    func waits() throws {
        let network = try SharedFaultScene(30, fall: 1)
        network.settle()
        network.passed = 1
        network.scene.advance(.seconds(60))
        #expect(network.states() == [.unreachable] && network.everWas(.down).isEmpty)
        #expect(network.incidents.count == 1)
        // A trace that never ends.
        let slow = try SharedFaultScene(1, fall: 1)
        slow.settle()
        slow.dead = [try #require(IPAddress(SharedFaultScene.address(0)))]
        slow.scene.world.traceBehaviour = { (60_000_000_000, .silent($0, behind: [])) }
        while slow.scene.registry.target("t0")?.evaluation?.lastReport?.result.outcome != .failure {
            slow.scene.advance(.milliseconds(100))
        }
        let start = try #require(
            slow.scene.world.starts.last { $0.request.host == .address(IPAddress("10.80.1.1") ?? .init(ipv4: 0)) }
        )
        #expect(slow.scene.state("t0") == .down)
        #expect(slow.scene.world.now() - start.time <= 7_600_000_000, "timeout 5 s and 2.5 s")
    }

    @Test(
        "W4: after a restart in the middle of the outage the hop is named again, by the routes of the run before",
        arguments: [1, 20]
    )
    func restart(count: Int) throws {
        let before = try SharedFaultScene(count)
        before.settle()
        let routes = try #require(before.scene.registry.routes(after: nil)?.routes)
        let stored = routes.compactMap { StoredRoute(stored: $0.stored) }
        #expect(stored == routes && !routes.isEmpty)
        let after = try SharedFaultScene(count, restoring: stored, passed: 1)
        after.scene.advance(.seconds(120))
        #expect(after.states() == [.unreachable] && after.everWas(.down).isEmpty)
        #expect(after.incidents.map(\.cause) == [IncidentCause(.hop, "192.0.2.1")])
    }

    @Test("W4: a host that was dead before a router failed is down after a restart", arguments: [2, 5, 30], [40, 180])
    func restartOfDead(count: Int, seconds: Int) throws {
        let before = try SharedFaultScene(count)
        before.settle()
        before.dead = [try #require(IPAddress(SharedFaultScene.address(0)))]
        before.scene.advance(.seconds(90))
        let incident = try #require(before.incidents.first)
        before.passed = 1
        before.scene.advance(.seconds(120))
        #expect(before.scene.state("t0") == .down)
        let after = try SharedFaultScene(
            count,
            restoring: try #require(before.scene.registry.routes(after: nil)?.routes),
            incidents: before.scene.registry.storedIncidents,
            passed: 1,
            dead: before.dead
        )
        after.scene.advance(.seconds(seconds))
        #expect(!after.everWas(.unreachable).contains("t0"))
        #expect(after.everWas(.unreachable).count == count - 1 || seconds == 40)
        after.passed = 3
        after.scene.advance(.seconds(120))
        #expect(after.scene.state("t0") == .down && after.states() == [.up, .down])
        #expect(after.everWas(.down) == ["t0"] && !after.everWas(.unreachable).contains("t0"))
        #expect(after.incidents.first { $0.id == incident.id }?.isOpen == true && after.incidents.count == 2)
        after.dead = []
        after.scene.advance(.seconds(120))
        #expect(after.states() == [.up] && !after.incidents.contains(where: \.isOpen))
    }

    @Test("W4: without stored routes, several targets name where their traces end together")
    func restartWithoutRoutes() throws {
        let after = try SharedFaultScene(20, passed: 2)
        after.scene.advance(.seconds(120))
        #expect(after.states() == [.unreachable] && after.everWas(.down).isEmpty)
        #expect(after.incidents.map(\.cause) == [IncidentCause(.hop, "10.9.1.2")])
    }

    @Test(
        "W13: where not even the gateway answers a trace any more, a firewall here or there drops the packets",
        arguments: [1, 5, 200]
    )
    func dropped(count: Int) throws {
        let network = try SharedFaultScene(count)
        network.settle()
        network.passed = 0
        network.scene.advance(.seconds(120))
        #expect(network.states() == [.unreachable] && network.rules() == [.ownFirewall])
        #expect(network.everWas(.down).isEmpty && network.scene.cause("t0") == .localNetwork)
        #expect(network.incidents.map(\.cause) == [IncidentCause(.firewall)])
        network.passed = 3
        network.scene.advance(.seconds(70))
        #expect(network.states() == [.up] && network.incidents.map(\.isOpen) == [false])
    }

    @Test("A dead host is down, though its neighbours are silent a moment later; they are not")
    func deadHost() throws {
        for count in [1, 5, 30, 200] {
            let network = try SharedFaultScene(count)
            network.settle()
            network.dead = [try #require(IPAddress(SharedFaultScene.address(0)))]
            network.scene.advance(.seconds(90))
            #expect(network.scene.transitions("t0") == [.up, .down] && network.scene.cause("t0") == .target)
            #expect(network.everWas(.down) == ["t0"] && network.everWas(.unreachable).isEmpty)
            // Then the router: the dead host stays down, the others are unreachable.
            network.passed = 1
            network.scene.advance(.seconds(120))
            #expect(network.scene.transitions("t0") == [.up, .down])
            #expect(network.everWas(.down) == ["t0"] && network.everWas(.unreachable).count == count - 1)
            #expect(network.incidents.count == (count == 1 ? 1 : 2))
            // It comes back with the router.
            network.passed = 3
            network.dead = []
            network.scene.advance(.seconds(120))
            #expect(network.states() == [.up])
        }
    }

    @Test("W7: the same hop twice within 30 s is named twice")
    func twice() throws {
        let network = try SharedFaultScene(5, interval: .seconds(2), fall: 2)
        network.settle()
        for _ in 0..<2 {
            network.passed = 1
            network.scene.advance(.seconds(15))
            #expect(network.states() == [.unreachable])
            network.passed = 3
            network.scene.advance(.seconds(10))
            #expect(network.states() == [.up])
        }
        #expect(network.everWas(.down).isEmpty)
    }

    @Test(
        "A host that died during the outage is down when the router is back, after as many failures as ever",
        arguments: [8, 30]
    )
    func diesMeanwhile(count: Int) throws {
        let network = try SharedFaultScene(count)
        network.settle()
        network.passed = 1
        network.scene.advance(.seconds(100))
        network.dead = [try #require(IPAddress(SharedFaultScene.address(0)))]
        network.passed = 3
        for _ in 0..<60 where !network.states().contains(.up) { network.scene.advance(.seconds(1)) }
        // Three failures of five seconds each, at the confirm interval.
        network.scene.advance(.seconds(18))
        #expect(network.scene.transitions("t0") == [.up, .unreachable, .down])
        network.scene.advance(.seconds(60))
        #expect(network.everWas(.down) == ["t0"])
    }

    @Test("Packets of an outage: each target is asked early at most once, and each place traced once")
    func packets() throws {
        for count in [200, 2_000] {
            let network = try SharedFaultScene(count)
            // Each target is traced once, one in two seconds.
            network.scene.advance(.seconds(count * 5 / 2))
            let (starts, traces) = (network.scene.world.startCount, network.scene.world.traces.count)
            network.scene.advance(.seconds(60))
            let calm = network.scene.world.startCount - starts
            network.passed = 1
            let before = network.scene.world.startCount
            network.scene.advance(.seconds(60))
            // Three confirmations, the early probe, and the turns of a minute.
            #expect(network.scene.world.startCount - before <= calm * 5 + 100)
            #expect(network.scene.world.traces.count - traces <= 4 + 8)
        }
    }
}
