// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Discovery
import LinuxIO
import Monitoring
import NetworkPaths
import Probing
import Schema
import Testing

@testable import Configuration

@Suite("Sources of targets in the configuration") struct DiscoverySourceTests {
    private func sources(_ text: String) throws -> [DeclaredSource] {
        try load("discovery: \(text)").discovery?.sources ?? []
    }

    @Test("sources are in the order of their kinds, with names of their own or made ones")
    func order() throws {
        let text = """
            {dns: [{lookup: _a._tcp.test}], http: [{url: "http://a.test/"}, {url: "http://b.test/", name: b},
             {url: "http://c.test/"}]}
            """
        #expect(try sources(text).map(\.name) == ["http", "b", "http-2", "dns"])
        #expect(try sources(text).map(\.kind) == ["http", "http", "http", "dns"])
        #expect(try load("discovery: {dns: [{lookup: _a._tcp.test}]}").watchesAutomatically == false)
    }

    @Test("equal settings are the same source, whatever its targets have")
    func sameness() throws {
        let first = try sources("{http: [{url: \"http://a.test/\", group: a}]}")[0]
        let second = try sources("{http: [{url: \"http://a.test/\", group: b}]}")[0]
        let third = try sources("{http: [{url: \"http://a.test/\", refresh: 5m}]}")[0]
        #expect(first != second && first.isSame(as: second))
        #expect(!first.isSame(as: third))
        let old = try load("discovery: {http: [{url: \"http://a.test/\"}]}")
        let new = try load("discovery: {http: [{url: \"http://a.test/\", refresh: 5m}]}")
        #expect(ConfigurationDifference(from: old, to: new).settings.map(\.key) == ["discovery.http"])
    }

    @Test(
        "faults have their positions",
        arguments: [
            ("{http: [{url: \"ftp://a.test/\"}]}", "/discovery/http/0/url"),
            ("{http: [{url: \"http://u:p@a.test/\"}]}", "/discovery/http/0/url"),
            ("{http: [{url: \"http://a.test/\", auth: {user: a}}]}", "/discovery/http/0/auth"),
            ("{http: [{url: \"http://a.test/\", name: files}]}", "/discovery/http/0/name"),
            (
                "{http: [{url: \"http://a.test/\", name: a}], dns: [{lookup: b.test, name: a}]}",
                "/discovery/dns/0/name"
            ),
            (
                "{http: [{url: \"http://a.test/\", probe: {type: http, url: \"http://b/\"}}]}",
                "/discovery/http/0/probe/url"
            ),
            (
                "{http: [{url: \"http://a.test/\", probe: {type: tcp, interval: 1ms}}]}",
                "/discovery/http/0/probe/interval"
            ),
            ("{dns: [{lookup: a.test, port: 1}]}", "/discovery/dns/0/port"),
            ("{dns: [{lookup: [a.test, a.test]}]}", "/discovery/dns/0/lookup"),
            ("{probe: {type: tcp}}", "/discovery"),
        ]
    )
    func faults(text: String, pointer: String) {
        do throws(ConfigurationDiagnostics) {
            _ = try load("discovery: \(text)")
            Issue.record("no fault")
        } catch {
            #expect(error.diagnostics.map(\.pointer) == [pointer])
        }
    }
}

@Suite("Targets of a source") struct SourceTargetsTests {
    private func made(_ text: String = "{type: tcp, interval: 1m}", group: String? = nil) throws -> SourceTargets {
        let own = group.map { ", group: \($0), tags: {site: a, team: default}" } ?? ""
        let configuration = try load(
            "discovery: {probe: \(text), http: [{url: \"http://a.test/\", name: inventory\(own)}]}"
        )
        let source = try #require(configuration.discovery?.sources.first)
        return SourceTargets(source, nameEvaluation: .optimistic)
    }

    private func item(
        _ address: String,
        _ labels: [DiscoveredItem.Label] = [],
        id: String? = nil,
        declaring text: String? = nil
    ) -> DiscoveredItem {
        DiscoveredItem(
            address: address,
            id: id,
            labels: labels,
            declaration: text.map { .init($0, in: "ingress web, annotation probe") },
            place: .source("ingress web")
        )
    }

    @Test("have the source's name, the group, tags and probe of their source, and their own tags before those")
    func defaults() throws {
        var source = try made(group: "shop")
        let outcome = source.take([item("a.test:1", [.init("team", "web"), .init("__meta_x", "1")])], room: 10)
        let target = try #require(source.targets.first)
        #expect((target.id, target.port, target.group, target.source) == ("a.test:1", 1, "shop", "inventory"))
        #expect(target.origin == .discovery)
        #expect(target.tags == ["site": "a", "team": "web"])
        #expect(target.probe?.type == "tcp")
        #expect(outcome.notes.map(\.text) == ["the label __meta_x has no effect"])
        // Each note once.
        #expect(source.take([item("a.test:2", [.init("__meta_x", "1")])], room: 10).notes.isEmpty)
    }

    @Test("keys that an object declares count before the source's; ids of objects lose what ids cannot have")
    func declarations() throws {
        var source = try made(group: "shop")
        let text = "{group: own, tags: {team: db}, name: The web, probe: {type: http, interval: 10s}}"
        let outcome = source.take([item("https://a.test/health", id: "default/web", declaring: text)], room: 10)
        #expect(outcome.faults.isEmpty)
        let target = try #require(source.targets.first)
        #expect((target.id, target.name, target.group) == ("default-web", "The web", "own"))
        #expect(target.tags == ["site": "a", "team": "db"])
        guard case .ask(let request)? = target.probe?.method, case .http(let http) = request.kind else {
            Issue.record("no http probe")
            return
        }
        #expect("\(http.url)" == "https://a.test/health")
        #expect(target.probe?.verdict.interval == .seconds(10))
    }

    @Test(
        "an object names no file, no address of its own, and no unknown key",
        arguments: [
            ("{probe: {type: http, tls: {ca_file: /etc/passwd}}}", "is the name of a file"),
            ("{host: other.test}", "is not a key"), ("{grup: a}", "did you mean group"), ("[", "annotation probe:"),
            ("just text", "must be a mapping"),
        ]
    )
    func refused(text: String, words: String) throws {
        var source = try made()
        let outcome = source.take([item("a.test:1", declaring: text), item("b.test:1")], room: 10)
        #expect(source.targets.map(\.id) == ["b.test:1"])
        #expect(outcome.faults.contains { "\($0)".contains(words) }, "\(outcome.faults)")
    }

    @Test("a faulty item keeps its last valid target, and each fault is told once")
    func kept() throws {
        var source = try made()
        source.take([item("a.test:1", declaring: "{group: one}"), item("b.test:1")], room: 10)
        let faulty = [item("a.test:1", declaring: "{group: [}"), item("c d:1"), item("b.test:1")]
        #expect(source.take(faulty, room: 10).faults.count == 2)
        #expect(source.take(faulty, room: 10).faults.isEmpty)
        #expect(source.targets.map(\.id) == ["a.test:1", "b.test:1"])
        #expect(source.targets[0].group == "one")
        source.take([item("b.test:1")], room: 10)
        #expect(source.targets.map(\.id) == ["b.test:1"])
    }

    @Test("a list without room is not used")
    func room() throws {
        var source = try made()
        source.take([item("a.test:1")], room: 1)
        let outcome = source.take([item("b.test:1"), item("c.test:1")], room: 1)
        #expect(outcome.error?.code == .tooMany)
        #expect(source.targets.map(\.id) == ["a.test:1"])
    }

    @Test("items with one id are one target, with a note")
    func repeated() throws {
        var source = try made()
        let outcome = source.take([item("a.test:1"), item("a.test:1", [.init("x", "y")])], room: 10)
        #expect(source.targets.map(\.tags) == [[:]])
        #expect(outcome.notes.map(\.text) == ["1 targets occur more than once"])
    }

    @Test("another probe applies to the known items; another source waits for its own")
    func applying() throws {
        var source = try made()
        source.take([item("a.test:1")], room: 10)
        let other = try made("{type: tls, interval: 5m}").declaration
        _ = source.apply(other, nameEvaluation: .optimistic, room: 10)
        #expect(source.targets.map { $0.probe?.type } == ["tls"])
        let moved = try #require(
            try load("discovery: {http: [{url: \"http://b.test/\", name: inventory}]}").discovery?.sources.first
        )
        _ = source.apply(moved, nameEvaluation: .optimistic, room: 10)
        #expect(source.targets.map { $0.probe?.type } == ["tls"])
        source.take([item("a.test:1")], room: 10)
        #expect(source.targets.map { $0.probe?.type } == [nil])
    }

    @Test("a list of a server is read like a file, and errors name the server")
    func list() throws {
        let place = ConfigurationDiagnostic.Place.source("http://a.test/list")
        let text = #"[{"targets": ["a.test:1", "b.test:2"], "labels": {"team": "web"}}]"#
        let items = try DiscoveryFileReader.items(json: Array(text.utf8), place: place)
        #expect(items.map(\.address) == ["a.test:1", "b.test:2"])
        #expect(items.allSatisfy { $0.labels == [.init("team", "web")] && $0.place == place })
        #expect(try DiscoveryFileReader.items(json: Array("[]".utf8), place: place).isEmpty)
        for text in ["{}", "[", #"[{"targets": 1}]"#, "- targets: []"] {
            let fault = #expect(throws: ConfigurationDiagnostics.self) {
                try DiscoveryFileReader.items(json: Array(text.utf8), place: place)
            }
            #expect(fault?.diagnostics.first?.description.hasPrefix("http://a.test/list:1:") == true)
        }
    }
}
