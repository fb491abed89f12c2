// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Discovery
import Monitoring
import NetworkPaths
import Probing
import Schema
import Testing

@testable import Configuration

@Suite("Container engines in the configuration") struct ContainerDiscoveryTests {
    private func settings(_ text: String) throws -> ContainerSettings {
        let source = try #require(try load("discovery: {containers: [\(text)]}").discovery?.sources.first)
        return try #require(source.settings as? ContainerSettings)
    }

    @Test("Without keys: the sockets of this machine; all keys are read")
    func keys() throws {
        #expect(try settings("{}") == ContainerSettings.ofThisMachine)
        let read = try settings(
            "{socket: \"unix:///a.sock\", all: true, address: container, network: n, host: h.test, refresh: 1m, timeout: 2s}"
        )
        var expected = ContainerSettings.ofThisMachine
        expected.endpoint = HTTPEndpoint(unixSocket: "/a.sock")
        expected.all = true
        expected.address = .container
        expected.network = "n"
        expected.host = "h.test"
        expected.refresh = .seconds(60)
        expected.timeout = .seconds(2)
        #expect(read == expected)
    }

    @Test("Sockets are paths, or addresses without a path")
    func sockets() throws {
        #expect(try settings("{socket: /a.sock}").endpoint == HTTPEndpoint(unixSocket: "/a.sock"))
        #expect(try settings("{socket: \"tcp://proxy:2375\"}").endpoint == HTTPEndpoint(url: "http://proxy:2375"))
        let long = "/" + String(repeating: "a", count: 107)
        for text in ["a.sock", "https://proxy:2376", "tcp://proxy:2375/v1", "tcp://u@proxy:2375", "tcp://", long] {
            do throws(ConfigurationDiagnostics) {
                _ = try load("discovery: {containers: [{socket: \"\(text)\"}]}")
                Issue.record("no fault: \(text)")
            } catch {
                #expect(error.diagnostics.map(\.pointer) == ["/discovery/containers/0/socket"])
            }
        }
    }

    @Test("An item of a container becomes a target with its own probe, group and tags")
    func target() throws {
        let configuration = try load("discovery: {probe: {type: tcp, interval: 1m}, containers: [{}]}")
        let source = try #require(configuration.discovery?.sources.first)
        var targets = SourceTargets(source, nameEvaluation: .optimistic)
        let items = [
            DiscoveredItem(
                address: "http://127.0.0.1:8080/health",
                id: "container:shop:web",
                name: "shop web",
                labels: [.init("image", "nginx:1.25"), .init("__param_module", "http")],
                declaration: .init("group: \"shop\"\nprobe:\n  { type: http, interval: 30s }", in: "container web"),
                place: .source("container web")
            ),
            DiscoveredItem(address: "172.17.0.2:5432", id: "container:db", place: .source("container db")),
        ]
        let outcome = targets.take(items, room: 10)
        #expect(outcome.faults.isEmpty && outcome.error == nil)
        #expect(targets.targets.map(\.id) == ["container:shop:web", "container:db"])
        #expect(targets.targets.first?.group == "shop")
        #expect(targets.targets.first?.tags == ["image": "nginx:1.25"])
        #expect(targets.targets.map { $0.probe?.type } == ["http", "tcp"])
    }
}
