// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import MonitoringTestSupport
import NetworkPaths
import Synchronization
import Testing

@testable import Monitoring

@Suite("The registry")
struct RegistryTests {
    let clock = FakeClock()
    let source = FakeSource()
    let registry: Registry

    init() {
        registry = Registry(clock: clock, epoch: "e0")
        registry.connect(to: source)
    }

    private func emit(
        _ request: PathRequest,
        _ path: NetworkPath,
        previous: NetworkPath? = nil,
        _ kind: ChangeTrigger.Kind = .route
    ) {
        guard let id = source.id(request) else {
            Issue.record("The source was never asked for \(request)")
            return
        }
        registry.pathsDidChange([PathUpdate(id: id, path: path, previous: previous, trigger: ChangeTrigger(kind))])
    }

    private func events(after sequence: UInt64 = 0) -> [Event] {
        registry.changes(after: sequence, limit: 1000).events
    }

    private let web = TargetSettings.address("web")

    @Test("The network's path is requested first and reported without a target")
    func network() {
        emit(PathRequest(.defaultPath()), .up())
        #expect(events().map(\.type) == [.reachability])
        #expect(events().first?.record?.target == nil)
        #expect(registry.overview.network.status == .reachableViaWiFi)
        #expect(registry.overview.counts.total == 0)
    }

    @Test("Adding a target, its verdict and its state change each get the next number")
    func firstVerdict() throws {
        registry.apply(targets: [web])
        #expect(registry.target("web")?.state == .unknown)
        #expect(registry.target("web")?.reason?.code == .notEvaluated)
        #expect(registry.target("web")?.reason?.cause == .`self`)
        emit(web.request, .up())
        #expect(events().map(\.type) == [.target, .reachability, .state])
        #expect(events().map(\.sequence) == [1, 2, 3])
        let record = try #require(registry.target("web"))
        #expect(record.sequence == 3)
        #expect(record.state == .up)
        #expect(record.reason == nil)
        #expect(registry.sequence == 3)
    }

    @Test("R57: a path change without a delivery is a path event; with one it is both events")
    func pathChanges() throws {
        registry.apply(targets: [web])
        emit(web.request, .up())
        let before = registry.sequence
        emit(web.request, .up(gateway: "192.0.2.2", generation: 2), previous: .up())
        #expect(events(after: before).map(\.type) == [.path])
        var moved = NetworkPath.up(gateway: "192.0.2.2", generation: 3)
        moved.interface?.index = 9
        let second = registry.sequence
        emit(web.request, moved, previous: .up(gateway: "192.0.2.2", generation: 2))
        #expect(events(after: second).map(\.type) == [.reachability, .path])
        let third = registry.sequence
        emit(web.request, .down(.blackhole), previous: moved)
        #expect(events(after: third).map(\.type) == [.reachability, .state])
        let fourth = registry.sequence
        emit(web.request, .down(.prohibited), previous: .down(.blackhole))
        #expect(events(after: fourth).map(\.type) == [.path, .state], "the reason is another one")
        #expect(registry.target("web")?.reason?.code == .path(.prohibited))
        #expect(registry.target("web")?.reason?.cause == .localNetwork)
        #expect(registry.sequence == fourth + 2)
    }

    @Test("R20: every delivery of the engine is reported, even without a difference")
    func noDeduplication() {
        registry.apply(targets: [web])
        emit(web.request, .up())
        let before = registry.sequence
        emit(web.request, .up(), previous: nil)
        #expect(events(after: before).map(\.type) == [.reachability])
    }

    @Test("since changes with the state, not with each event")
    func since() {
        registry.apply(targets: [web])
        emit(web.request, .up())
        let first = registry.target("web")?.since
        clock.advance(milliseconds: 500)
        emit(web.request, .cellular, previous: .up())
        #expect(registry.target("web")?.since == first)
        #expect(registry.target("web")?.status == .reachableViaWWAN)
        emit(web.request, .down(), previous: .cellular)
        #expect(registry.target("web")?.since == clock.now())
    }

    @Test("A refused kernel query is not a verdict")
    func refused() {
        registry.apply(targets: [web])
        emit(web.request, .down(.kernelRefused))
        #expect(registry.target("web")?.state == .unknown)
        #expect(registry.target("web")?.status == .unknown)
        #expect(registry.target("web")?.reason?.cause == .`self`)
    }

    @Test("Verdicts that arrive before their handle are kept in order")
    func earlyVerdicts() {
        let registry = registry
        source.whileAdding.withLock {
            $0 = { ids in
                for id in ids {
                    registry.pathsDidChange([
                        PathUpdate(id: id, path: .down(), previous: nil, trigger: ChangeTrigger(.initial))
                    ])
                    registry.pathsDidChange([
                        PathUpdate(id: id, path: .up(), previous: .down(), trigger: ChangeTrigger(.route))
                    ])
                }
            }
        }
        registry.apply(targets: (1...1000).map { .address("t\($0)") })
        #expect(registry.overview.counts[.up] == 1000)
        let ofOne = registry.changes(after: 0, limit: 100_000).events.filter { $0.record?.target?.settings.id == "t7" }
        #expect(ofOne.map(\.type) == [.target, .reachability, .state, .reachability, .path, .state])
    }

    @Test("The network's record keeps its counters when the resolvers change")
    func networkKeepsCounts() throws {
        let network = PathRequest(.defaultPath())
        emit(network, .up())
        emit(network, .down(), previous: .up())
        emit(network, .up(), previous: .down())
        let supportsDNS = registry.overview.network.supportsDNS
        registry.environmentDidChange(NetworkEnvironment(supportsDNS: !supportsDNS))
        #expect(registry.overview.network.supportsDNS != supportsDNS)
        #expect(registry.overview.network.transitions[.up] == 2)
        #expect(registry.overview.network.transitions[.down] + registry.overview.network.transitions[.unreachable] == 1)
    }

    @Test("The published numbers are consistent, and readers are notified once of each change")
    func published() {
        let before = registry.published
        registry.apply(targets: [web])
        let added = registry.published
        #expect(added.head == added.recorded && added.head > before.head && added.version > before.version)
        #expect(!added.isHeldBack && added.epochRevision == before.epochRevision && added.numbering == 0)
        registry.noteServiceChange()
        #expect(registry.published.head == added.head && registry.published.version == added.version + 1)
        registry.moveEvents(behind: 100)
        #expect(registry.published.head == added.head + 100 && registry.published.numbering == 100)
        #expect(
            registry.published.epochRevision == added.epochRevision + 1
                && registry.epochRevision == added.epochRevision + 1
        )
    }

    @Test("A late verdict for a removed target is dropped")
    func lateVerdict() throws {
        registry.apply(targets: [web])
        let id = try #require(source.id(web.request))
        registry.apply(targets: [])
        let before = registry.sequence
        registry.pathsDidChange([PathUpdate(id: id, path: .up(), previous: nil, trigger: ChangeTrigger(.route))])
        #expect(registry.sequence == before)
        #expect(source.state.withLock { $0.removed } == [id])
    }

    @Test("Applying the same list again causes no event and no path request")
    func unchanged() {
        let list = (1...600).map { TargetSettings.address("t\($0)", tags: ["n": "\($0)"]) }
        #expect(registry.apply(targets: list).added == 600)
        let before = registry.sequence
        let asked = source.state.withLock { $0.added }
        let changes = registry.apply(targets: list.reversed())
        #expect(changes.unchanged == 600)
        #expect(changes.added + changes.updated + changes.removed == 0)
        #expect(registry.sequence == before)
        #expect(source.state.withLock { $0.added } == asked)
    }

    @Test("A new label keeps the verdict; a new path request causes a new query")
    func updates() {
        registry.apply(targets: [web])
        emit(web.request, .up())
        var labelled = web
        labelled.name = "The web"
        let before = registry.sequence
        #expect(registry.apply(targets: [labelled]).updated == 1)
        #expect(events(after: before).map(\.type) == [.target])
        #expect(registry.target("web")?.state == .up)
        let moved = TargetSettings.address("web", "198.51.100.2")
        let second = registry.sequence
        #expect(registry.apply(targets: [moved]).updated == 1)
        #expect(events(after: second).map(\.type) == [.target, .state])
        #expect(registry.target("web")?.state == .unknown)
        #expect(registry.overview.counts[.unknown] == 1)
        #expect(registry.overview.counts[.up] == 0)
        #expect(source.id(web.request) == nil)
        emit(moved.request, .up())
        #expect(registry.target("web")?.state == .up)
    }

    @Test("The first of two entries with the same id applies")
    func duplicates() {
        let changes = registry.apply(targets: [web, .address("web", "198.51.100.9")])
        #expect(changes.added == 1)
        #expect(changes.updated == 0)
        #expect(registry.target("web")?.target?.settings.text == "198.51.100.1")
    }

    @Test("Ready once every target had its first verdict, and from then on")
    func readiness() {
        #expect(!registry.overview.isReady)
        emit(PathRequest(.defaultPath()), .down())
        #expect(!registry.overview.isReady)
        registry.apply(targets: [web])
        #expect(!registry.overview.isReady)
        #expect(registry.overview.awaiting == 1)
        emit(web.request, .down())
        #expect(registry.overview.isReady)
        registry.apply(targets: [web, .address("new", "198.51.100.3")])
        #expect(registry.overview.isReady)
    }

    @Test("Ready when the last target without a verdict is removed")
    func readinessByRemoval() {
        emit(PathRequest(.defaultPath()), .down())
        registry.apply(targets: [web])
        registry.apply(targets: [])
        #expect(registry.overview.isReady)
    }

    @Test("Pages follow the order of addition while targets are added and removed")
    func pages() {
        registry.apply(targets: (0..<300).map { .address("t\($0)") })
        var seen: [String] = []
        var after: UInt64 = 0
        var round = 0
        while true {
            let page = registry.page(after: after, limit: 37)
            seen += page.records.compactMap { $0.target?.settings.id }
            guard !page.isLast, let last = page.records.last?.target?.ordinal else { break }
            after = last
            round += 1
            // Every page the first twenty that are left go, and one is added.
            let left = (round * 20..<300).map { TargetSettings.address("t\($0)") }
            registry.apply(targets: left + (0..<round).map { .address("new\($0)") })
        }
        #expect(Set(seen).count == seen.count)
        let old = seen.filter { $0.hasPrefix("t") }
        #expect(old == (0..<300).map { "t\($0)" })
        #expect(seen.contains("new0"))
    }

    @Test("Empty slots are freed")
    func compaction() {
        registry.apply(targets: (0..<1000).map { .address("t\($0)") })
        registry.apply(targets: [.address("t999"), .address("t500")])
        #expect(registry.state.withLock { $0.table.places.count } == 2)
        #expect(registry.target("t500") != nil)
        #expect(registry.page(after: 0, limit: 10).records.count == 2)
        #expect(registry.page(after: 0, limit: 10).isLast)
    }

    @Test("Without configured targets the default paths, gateways and resolvers are watched and updated")
    func automatic() {
        let first = NetworkEnvironment(
            resolvers: [ScopedAddress(IPAddress(ipv4: 0x0101_0101))],
            supportsDNS: false,
            gateways: [DefaultGateway(IPAddress(ipv4: 0xc000_0201), interface: "eth0")]
        )
        registry.environmentDidChange(first)
        registry.apply(targets: [], automatic: true)
        let ids = { registry.page(after: 0, limit: 100).records.compactMap { $0.target?.settings.id } }
        #expect(ids() == ["default-ipv4", "default-ipv6", "gateway-192.0.2.1", "resolver-1.1.1.1"])
        #expect(registry.target("default-ipv4")?.target?.settings.origin == .auto)
        var second = first
        second.gateways = [DefaultGateway(IPAddress(ipv4: 0xc000_0209))]
        registry.environmentDidChange(second)
        #expect(ids() == ["default-ipv4", "default-ipv6", "resolver-1.1.1.1", "gateway-192.0.2.9"])
        // One address through two interfaces has one name.
        let local = IPAddress(ipv6High: 0xfe80 << 48, low: 9)
        second.resolvers = ["eth1", "eth0"].map { ScopedAddress(local, interface: $0) }
        registry.environmentDidChange(second)
        #expect(ids() == ["default-ipv4", "default-ipv6", "gateway-192.0.2.9", "resolver-fe80::9"])
        let request = registry.target("resolver-fe80::9")?.target?.settings.pathRequest
        #expect(request?.target == .address(local, interface: "eth1"))
        registry.apply(targets: [web])
        #expect(ids() == ["web"])
        registry.environmentDidChange(first)
        #expect(ids() == ["web"])
    }

    @Test("Only an address family that the machine had before counts as missing")
    func automaticFamilies() {
        let ids = { registry.page(after: 0, limit: 100).records.compactMap { $0.target?.settings.id } }
        registry.apply(targets: [], automatic: true)
        #expect(ids() == ["default-ipv4", "default-ipv6"], "without any both are")
        registry.environmentDidChange(NetworkEnvironment(families: [.ipv4]))
        #expect(ids() == ["default-ipv4"])
        registry.environmentDidChange(NetworkEnvironment(families: [.ipv6]))
        #expect(ids() == ["default-ipv4", "default-ipv6"])
        registry.environmentDidChange(NetworkEnvironment())
        #expect(ids() == ["default-ipv4", "default-ipv6"])
        registry.apply(targets: [], automatic: true)
        #expect(ids() == ["default-ipv4", "default-ipv6"])
    }

    @Test("A gateway stays while its family has no default path, until another default route replaces it")
    func gatewayLifetime() {
        let gateways = {
            registry.page(after: 0, limit: 100).records.compactMap { $0.target?.settings.id }
                .filter { $0.hasPrefix("gateway") }
        }
        let six = DefaultGateway(IPAddress(ipv6High: 0xfe80 << 48, low: 1), interface: "eth0")
        let four = DefaultGateway(IPAddress(ipv4: 0xc000_0201), interface: "eth0")
        registry.environmentDidChange(NetworkEnvironment(gateways: [four, six], families: [.ipv4, .ipv6]))
        registry.apply(targets: [], automatic: true)
        #expect(gateways() == ["gateway-192.0.2.1", "gateway-fe80::1"])
        let ordinal = registry.target("gateway-192.0.2.1")?.target?.ordinal
        registry.environmentDidChange(NetworkEnvironment(resolvers: [ScopedAddress(IPAddress(ipv4: 1))]))
        #expect(gateways() == ["gateway-192.0.2.1", "gateway-fe80::1"], "the link is dead")
        registry.apply(targets: [], automatic: true)
        #expect(gateways() == ["gateway-192.0.2.1", "gateway-fe80::1"], "also after a reload")
        registry.environmentDidChange(NetworkEnvironment(gateways: [four], families: [.ipv4]))
        #expect(gateways() == ["gateway-192.0.2.1", "gateway-fe80::1"], "IPv6 is still out")
        #expect(registry.target("gateway-192.0.2.1")?.target?.ordinal == ordinal, "it is the same target all along")
        // A tunnel without a next hop takes IPv6.
        registry.environmentDidChange(NetworkEnvironment(gateways: [four], families: [.ipv4, .ipv6]))
        #expect(gateways() == ["gateway-192.0.2.1"])
        // Through hundreds of networks, with and without a gap between them.
        for number in 1...300 as ClosedRange<UInt32> {
            let next = DefaultGateway(IPAddress(ipv4: 0x0a00_0000 + number), interface: "wlan0")
            if number % 2 == 0 { registry.environmentDidChange(NetworkEnvironment()) }
            registry.environmentDidChange(NetworkEnvironment(gateways: [next], families: [.ipv4]))
            #expect(gateways() == ["gateway-\(next.address)"])
        }
    }

    @Test("An automatic target does not replace a configured one of the same id")
    func automaticCollision() {
        let own = TargetSettings.address("default-ipv4")
        registry.apply(targets: [own], automatic: true)
        registry.environmentDidChange(NetworkEnvironment(gateways: [DefaultGateway(IPAddress(ipv4: 1))]))
        #expect(registry.target("default-ipv4")?.target?.settings == own)
    }

    @Test("A change of DNS support is an event of the machine and each target with a path, and in every record")
    func supportsDNS() {
        registry.apply(targets: (0..<700).map { .address("t\($0)", "198.51.\($0 / 250).\($0 % 250)") })
        registry.environmentDidChange(NetworkEnvironment(supportsDNS: true))
        emit(PathRequest(.defaultPath()), .up())
        emit(TargetSettings.address("t699", "198.51.2.199").request, .up())
        #expect(registry.target("t5")?.supportsDNS == true)
        let before = registry.sequence
        registry.environmentDidChange(NetworkEnvironment(supportsDNS: false))
        #expect(events(after: before).map(\.type) == [.path, .path])
        #expect(registry.target("t5")?.supportsDNS == false)
        #expect(registry.target("t699")?.sequence == before + 2)
    }

    @Test("Listeners are notified of every batch of events, outside the lock")
    func listeners() {
        let heard = Mutex<[UInt64]>([])
        let registry = registry
        registry.onEvents {
            // Takes the lock: were it held, this would never end.
            let sequence = registry.overview.sequence
            heard.withLock { $0.append(sequence) }
        }
        registry.apply(targets: [web])
        emit(web.request, .up())
        registry.announce(.rejected(faults: ["a.yaml:1:1: no"]))
        #expect(heard.withLock { $0.last } == registry.sequence)
    }

    @Test("The number of configuration faults is bounded")
    func boundedFaults() {
        registry.announce(.rejected(faults: Array(repeating: "x", count: 1000)))
        guard case .config(let change) = events().last?.content else {
            Issue.record("There is no config event")
            return
        }
        #expect(change.faults.count == 100)
        #expect(change.faultCount == 1000)
    }
}
