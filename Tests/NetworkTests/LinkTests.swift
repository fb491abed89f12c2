// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import TestSupport
import Testing

@testable import Network

/// Monitors in networks of the tests' own.
@Suite(.enabled(if: Testbed.isAvailable, "\(Testbed.requirement)"), .timeLimit(.minutes(15))) struct LinkTests {
    /// A monitor of a testbed, and what its handler got.
    private final class Scene: Sendable {
        let testbed: Testbed
        let record = Recorder<NWPath>()
        let hub: SharedPathEngine

        init(_ testbed: Testbed, _ options: PathEngineOptions) {
            self.testbed = testbed
            hub = SharedPathEngine(options: options, prologue: testbed.namespace.prologue)
        }

        /// Awaits a path that fits, beginning with the path after a mark.
        @discardableResult
        func next(after mark: Int = 0, where fits: @escaping @Sendable (NWPath) -> Bool) async throws -> NWPath {
            try await record.next(after: mark, where: fits)
        }

        func monitor(_ restriction: InterfaceRestriction) -> (monitor: NWPathMonitor, record: Recorder<NWPath>) {
            let record = Recorder<NWPath>()
            let monitor = NWPathMonitor(restriction, hub: hub)
            monitor.pathUpdateHandler = { record.record($0) }
            monitor.start(queue: DispatchQueue(label: "restricted"))
            return (monitor, record)
        }
    }

    private func with(
        _ options: PathEngineOptions = PathEngineOptions(),
        setUp: (Testbed) throws -> Void = { try $0.base() },
        _ body: (Scene) async throws -> Void
    ) async throws {
        try await Testbed.with { testbed in
            try testbed.namespace.sysctl("net.ipv6.conf.default.accept_dad", "0")
            try setUp(testbed)
            let scene = Scene(testbed, options)
            defer { scene.hub.close() }
            let monitor = NWPathMonitor(.none, hub: scene.hub)
            monitor.pathUpdateHandler = { [record = scene.record] in record.record($0) }
            monitor.start(queue: DispatchQueue(label: "scene"))
            defer { monitor.cancel() }
            try await body(scene)
        }
    }

    @Test("A cable is pulled and plugged: satisfied, unsatisfied with the reason, satisfied")
    func cable() async throws {
        try await with { scene in
            let path = try await scene.next { $0.status == .satisfied && $0.supportsIPv6 }
            #expect(path.availableInterfaces.map(\.name) == ["eth0"])
            #expect(path.usesInterfaceType(.wiredEthernet))
            #expect(path.supportsIPv4)
            #expect(path.gateways.map(\.debugDescription) == ["192.0.2.1:0", "2001:db8:1::1.0"])
            let mark = scene.record.count
            try scene.testbed.p("link set p0 down")
            let lost = try await scene.next(after: mark) { $0.status == .unsatisfied }
            #expect(lost.debugDescription.hasPrefix("unsatisfied (no carrier, eth0)"))
            #expect(lost.availableInterfaces.isEmpty && lost.gateways.isEmpty)
            let back = scene.record.count
            try scene.testbed.p("link set p0 up")
            try await scene.next(after: back) { $0.status == .satisfied && $0.supportsIPv4 && $0.supportsIPv6 }
        }
    }

    @Test("One family only")
    func families() async throws {
        try await with { scene in
            try await scene.next { $0.supportsIPv4 && $0.supportsIPv6 }
            try scene.testbed.i("-6 route del default")
            try await scene.next(after: 1) { $0.supportsIPv4 && !$0.supportsIPv6 }
            let mark = scene.record.count
            try scene.testbed.i("-6 route add default via 2001:db8:1::1 dev eth0;route del default")
            let six = try await scene.next(after: mark) { !$0.supportsIPv4 && $0.supportsIPv6 }
            #expect(six.status == .satisfied)
            #expect(six.gateways.map(\.debugDescription) == ["2001:db8:1::1.0"])
        }
    }

    @Test("Several interfaces: the order is that of the metrics; restricted monitors look at theirs")
    func interfaces() async throws {
        var options = PathEngineOptions()
        options.interfaceRules = [InterfaceRule(patterns: [.init(.name, "eth1")], type: .wifi, isExpensive: true)]
        try await with(
            options,
            setUp: { testbed in
                try testbed.base()
                try testbed.second()
                try testbed.i("route add default via 198.18.0.1 dev eth1 metric 50")
            }
        ) { scene in
            let path = try await scene.next { $0.availableInterfaces.count == 2 && $0.supportsIPv6 }
            #expect(path.availableInterfaces.map(\.name) == ["eth0", "eth1"])
            #expect(path.availableInterfaces.map(\.type) == [.wiredEthernet, .wifi])
            #expect(!path.usesInterfaceType(.wifi) && !path.isExpensive)
            let wifi = scene.monitor(.required(.wifi))
            let others = scene.monitor(.prohibited([.wifi]))
            let best = try await wifi.record.next { $0.status == .satisfied }
            #expect(best.availableInterfaces.map(\.name) == ["eth1"])
            #expect(best.isExpensive && best.supportsIPv4 && !best.supportsIPv6)
            #expect(best.gateways.map(\.debugDescription) == ["198.18.0.1:0"])
            // The better one gets a worse metric.
            try scene.testbed.i("route del default via 192.0.2.1;route add default via 192.0.2.1 metric 90")
            let changed = try await scene.next(after: 1) { $0.availableInterfaces.map(\.name) == ["eth1", "eth0"] }
            #expect(changed.usesInterfaceType(.wifi) && changed.isExpensive)
            // Wi-Fi is lost. The kernel still chooses its route: what is not bound is lost, the others are not.
            try scene.testbed.p("link set p1 down")
            let lost = try await wifi.record.next { $0.status == .unsatisfied }
            #expect(lost.debugDescription.hasPrefix("unsatisfied (no carrier, eth1)"))
            let rest = try await others.record.next { $0.status == .satisfied }
            #expect(rest.availableInterfaces.map(\.name) == ["eth0"])
            #expect(!others.record.events.contains { $0.status == .unsatisfied })
            try scene.testbed.i("route del default via 198.18.0.1")
            try await scene.next(after: scene.record.count - 1) { $0.availableInterfaces.map(\.name) == ["eth0"] }
            wifi.monitor.cancel()
            others.monitor.cancel()
        }
    }

    @Test("Rules change the type of an interface, and with cellular the path is expensive")
    func rules() async throws {
        try await with { scene in
            try await scene.next { $0.usesInterfaceType(.wiredEthernet) && !$0.isExpensive && $0.supportsIPv6 }
            var options = PathEngineOptions()
            options.interfaceRules = [
                InterfaceRule(patterns: [.init(.name, "eth0")], type: .cellular, isConstrained: true)
            ]
            scene.hub.apply(options)
            let path = try await scene.next { $0.usesInterfaceType(.cellular) }
            #expect(path.isExpensive && path.isConstrained)
            #expect(path.availableInterfaces.map(\.type) == [.cellular])
        }
    }

    @Test("Loopback alone: the network is unsatisfied, and a monitor of loopback is satisfied while it is up")
    func loopback() async throws {
        try await with(setUp: { try $0.i("link set lo up") }) { scene in
            let path = try await scene.next { _ in true }
            #expect(path.debugDescription.hasPrefix("unsatisfied (no route)"))
            let (monitor, record) = scene.monitor(.required(.loopback))
            let own = try await record.next { $0.status == .satisfied }
            #expect(own.availableInterfaces.map(\.name) == ["lo"])
            #expect(own.usesInterfaceType(.loopback) && own.supportsIPv4)
            try scene.testbed.i("link set lo down")
            try await record.next { $0.status == .unsatisfied }
            monitor.cancel()
        }
    }
}
