// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing
import Testing

@testable import Configuration

@Suite struct InternationalHostTests {
    @Test(
        "a name beyond ASCII is monitored in its ASCII form and shown as it was written",
        arguments: ["{host: Müller.example}", "{probe: {type: http, url: 'http://Müller.example/ü?ö'}}"]
    )
    func hosts(text: String) throws {
        let target = try #require(try load("targets: [\(text)]").targets.first)
        #expect(target.request.target == .name("xn--mller-kva.example"))
        #expect(target.text == "Müller.example")
        #expect(target.id == "xn--mller-kva.example")
        guard case .ask(let request)? = target.probe?.method, case .http(let http) = request.kind else { return }
        #expect(http.url.description == "http://xn--mller-kva.example/%C3%BC?%C3%B6")
    }

    @Test("a URL may name the interface of an IPv6 address (RFC 6874)")
    func zones() throws {
        let text = "{id: a, probe: {type: http, url: 'http://[fe80::1%25eth0]:81/x'}}"
        let target = try #require(try load("targets: [\(text)]").targets.first)
        let address = try #require(IPAddress("fe80::1"))
        #expect(target.request.target == .address(address, interface: "eth0"))
        guard case .ask(let request)? = target.probe?.method else { return #expect(Bool(false)) }
        #expect(request.host == .address(address) && request.interface == "eth0")
        #expect(try DiscoveredAddress("http://[fe80::1%25eth0]/").interface == "eth0")
    }

    @Test("discovered names beyond ASCII have ids of their own")
    func discovered() throws {
        let texts = ["müller.example:80", "möller.example:80", "http://müller.example/a", "http://möller.example/a"]
        let addresses = try texts.map { try DiscoveredAddress($0) }
        #expect(addresses.map(\.host) == ["müller.example", "möller.example", "müller.example", "möller.example"])
        #expect(
            addresses.first?.id == "xn--mller-kva.example:80" && addresses.last?.id == "http-xn--mller-jua.example-a"
        )
        #expect(Set(addresses.map(\.id)).count == 4)
        #expect(throws: (any Error).self) { try DiscoveredAddress("\u{2100}.example:80") }
    }
}
