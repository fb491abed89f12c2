// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Testing

@testable import Network

@Suite struct PathTests {
    private func gateways(_ path: NWPath) -> [String] { path.gateways.map(\.debugDescription) }

    @Test("A path has what the kernel says of the interfaces")
    func properties() {
        let path = InterfaceRestriction.none.path(
            of: States.online([
                States.path(
                    States.eth0,
                    [.ipv4: "192.0.2.1", .ipv6: "fe80::1"],
                    chosenFor: [.ipv4, .ipv6]
                ),
                States.path(States.wwan0, [.ipv4: "198.51.100.1"]),
            ])
        )
        #expect(path.status == .satisfied)
        #expect(path.availableInterfaces.map(\.name) == ["eth0", "wwan0"])
        #expect(path.availableInterfaces.map(\.type) == [.wiredEthernet, .cellular])
        #expect(path.availableInterfaces.map(\.index) == [2, 4])
        #expect(path.supportsIPv4 && path.supportsIPv6 && path.supportsDNS)
        // Packets take eth0: the modem is available and is not used.
        #expect(path.usesInterfaceType(.wiredEthernet) && !path.usesInterfaceType(.cellular))
        #expect(!path.isExpensive && !path.isConstrained)
        #expect(gateways(path) == ["192.0.2.1:0", "fe80::1%eth0.0"])
        #expect(path.localEndpoint == nil && path.remoteEndpoint == nil)
        #expect(path.debugDescription == "satisfied (Path is satisfied), interface: eth0, ipv4, ipv6, dns")
    }

    @Test("Each family may take another interface: both are used, the one for IPv4 comes first")
    func families() {
        let path = InterfaceRestriction.none.path(
            of: States.online([
                States.path(States.eth0, [.ipv4: "192.0.2.1", .ipv6: "fe80::1"], chosenFor: [.ipv4]),
                States.path(States.wwan0, [.ipv6: "fe80::2"], chosenFor: [.ipv6]),
            ])
        )
        #expect(gateways(path) == ["192.0.2.1:0", "fe80::2%wwan0.0"])
        #expect(path.usesInterfaceType(.wiredEthernet) && path.usesInterfaceType(.cellular))
        #expect(path.isExpensive)
    }

    @Test("A tunnel over a modem is of the type other, and uses cellular")
    func tunnel() {
        var wg0 = States.path(States.wg0, [.ipv4: "192.0.2.1"], chosenFor: [.ipv4])
        wg0.leadsThroughModem = true
        let state = States.online([wg0])
        let path = InterfaceRestriction.none.path(of: state)
        #expect(path.availableInterfaces.map(\.type) == [.other])
        #expect(path.usesInterfaceType(.other) && path.usesInterfaceType(.cellular))
        #expect(InterfaceRestriction.prohibited([.cellular]).path(of: state).status == .unsatisfied)
        #expect(InterfaceRestriction.required(.cellular).path(of: state).status == .unsatisfied)
    }

    @Test(
        "While the kernel's choice is dead the path is unsatisfied, although another interface works if bound"
    )
    func deadChoice() {
        var eth0 = States.path(States.eth0, [:])
        eth0.unsatisfiedReason = .noCarrier
        let state = InterfacePaths(
            defaultPath: NetworkPath(flags: [], unsatisfiedReason: .noCarrier, interface: States.eth0),
            interfaces: [eth0, States.path(States.wlan0)]
        )
        let path = InterfaceRestriction.none.path(of: state)
        #expect(path.status == .unsatisfied)
        #expect(path.unsatisfiedReason == .notAvailable)
        #expect(path.availableInterfaces.isEmpty && path.gateways.isEmpty && !path.supportsIPv4)
        #expect(path.debugDescription == "unsatisfied (no carrier, eth0)")
        let wifi = InterfaceRestriction.required(.wifi).path(of: state)
        #expect(wifi.status == .satisfied && wifi.supportsIPv4 && gateways(wifi) == ["192.0.2.1:0"])
        let wired = InterfaceRestriction.required(.wiredEthernet).path(of: state)
        #expect(wired.debugDescription == "unsatisfied (no carrier, eth0)")
    }

    @Test("Restrictions: what is permitted decides, the best of it comes first")
    func restrictions() {
        let state = States.online([
            States.path(States.eth0, chosenFor: [.ipv4]),
            States.path(States.wlan0, [.ipv4: "198.51.100.1"]),
            States.path(States.wwan0),
        ])
        func names(_ restriction: InterfaceRestriction) -> [String] {
            restriction.path(of: state).availableInterfaces.map(\.name)
        }
        #expect(names(.none) == ["eth0", "wlan0", "wwan0"])
        #expect(names(.required(.wifi)) == ["wlan0"])
        #expect(names(.prohibited([.wiredEthernet])) == ["wlan0", "wwan0"])
        #expect(names(.required(.other)) == [])
        let wifi = InterfaceRestriction.required(.wifi).path(of: state)
        #expect(wifi.usesInterfaceType(.wifi) && !wifi.usesInterfaceType(.wiredEthernet))
        #expect(gateways(wifi) == ["198.51.100.1:0"])
        let none = InterfaceRestriction.required(.other).path(of: state)
        #expect(none.debugDescription == "unsatisfied (no permitted interface has a default route), dns")
    }

    @Test("The loopback interface is permitted only where it is required")
    func loopback() {
        var state = States.offline
        let lo = NetworkInterface(name: "lo", index: 1, type: .loopback)
        state.loopback = InterfacePath(interface: lo, routes: [.ipv4: InterfacePath.Route()])
        #expect(InterfaceRestriction.required(.loopback).path(of: state).availableInterfaces.map(\.name) == ["lo"])
        #expect(InterfaceRestriction.none.path(of: state).status == .unsatisfied)
        #expect(InterfaceRestriction.prohibited([.wifi]).path(of: state).status == .unsatisfied)
        state.loopback = nil
        #expect(InterfaceRestriction.required(.loopback).path(of: state).status == .unsatisfied)
    }

    @Test("A declared connection that could be made: requiresConnection, unless its type is not permitted")
    func connection() {
        let modem = DeclaredConnection(name: "modem", prefixes: nil, mode: .demand, isCellular: true)
        let state = InterfacePaths(
            defaultPath: NetworkPath(flags: modem.flags, unsatisfiedReason: .connectionAvailable)
        )
        #expect(InterfaceRestriction.none.path(of: state).status == .requiresConnection)
        #expect(InterfaceRestriction.required(.cellular).path(of: state).status == .requiresConnection)
        #expect(InterfaceRestriction.required(.wifi).path(of: state).status == .unsatisfied)
        #expect(InterfaceRestriction.prohibited([.cellular]).path(of: state).status == .unsatisfied)
        #expect(InterfaceRestriction.prohibited([.wifi]).path(of: state).status == .requiresConnection)
    }

    @Test("An empty list prohibits nothing")
    func emptyProhibition() {
        #expect(NWPathMonitor(prohibitedInterfaceTypes: []).queue == nil)
        #expect(NWPathMonitor(requiredInterfaceType: .wifi).queue == nil)
    }
}
