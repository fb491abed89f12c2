// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import NetworkPaths
import Probing
import Schema
import TestSupport
import Testing

@testable import Configuration

@Suite("Files of targets") struct DiscoveryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func files(_ pattern: String = "*.json", probe: String? = nil) throws -> DiscoveryFiles {
        let own = probe.map { ", probe: \($0)" } ?? ""
        let configuration = try load("discovery: {files: '\(folder.path)/\(pattern)'\(own)}")
        let settings = try #require(configuration.discovery)
        #expect(!configuration.watchesAutomatically)
        return DiscoveryFiles(settings, nameEvaluation: .optimistic)
    }

    private func found(_ text: String, probe: String? = nil, name: String = "a.json") throws -> DiscoveryReport {
        var files = try files("*", probe: probe)
        try folder.replace(text, at: name)
        return files.scan()
    }

    @Test("addresses become hosts, addresses and ports; labels become tags; ids are made of the addresses")
    func addresses() throws {
        let text = #"""
            [{"targets": ["a.test:80", "B.test", "192.0.2.1:443", "[2001:db8::1]:53", "2001:db8::2"],
              "labels": {"team": "web", "empty": "", "__meta_x": "1"}}, {"targets": []}]
            """#
        let report = try found(text)
        #expect(report.diagnostics.isEmpty)
        #expect(
            report.targets.map(\.id) == ["a.test:80", "B.test", "192.0.2.1:443", "2001:db8::1-53", "2001:db8::2"]
        )
        #expect(report.targets.map(\.port) == [80, nil, 443, 53, nil])
        #expect(report.targets.allSatisfy { $0.origin == .discovery && $0.tags == ["team": "web"] && $0.probe == nil })
        #expect(report.targets[0].request.target == .name("a.test"))
        #expect(report.targets[2].request.target == .address(try #require(IPAddress("192.0.2.1"))))
        #expect(report.notes.map(\.text).contains { $0.contains("__meta_x") })
    }

    @Test("YAML is read as well")
    func yaml() throws {
        let report = try found("- targets: [a.test:80, 'b.test:81']\n  labels: {n: 1}\n", name: "a.yml")
        #expect(report.targets.map(\.id) == ["a.test:80", "b.test:81"])
        #expect(report.targets[0].tags == ["n": "1"])
    }

    @Test("the configuration's probe is theirs, with the port of each")
    func probe() throws {
        let report = try found(#"[{"targets":["a.test:80","b.test:81"]}]"#, probe: "{type: tcp, interval: 1m}")
        #expect(report.targets.map { $0.probe?.type } == ["tcp", "tcp"])
        #expect(report.targets.allSatisfy { $0.probe?.verdict.interval == .seconds(60) })
        guard case .ask(let request)? = report.targets[1].probe?.method, case .tcp(let tcp) = request.kind else {
            Issue.record("no probe of TCP")
            return
        }
        #expect(tcp.port == 81)
    }

    @Test("labels that begin with __ set scheme, path, module, interval and timeout")
    func requestLabels() throws {
        let text = #"""
            [{"targets":["a.test:8080"],
              "labels":{"__scheme__":"https","__metrics_path__":"/health","__scrape_interval__":"10s",
                        "__scrape_timeout__":"2s"}},
             {"targets":["https://b.test/x?y=z"], "labels":{"team":"b"}},
             {"targets":["c.test:25"],"labels":{"__param_module":"tcp_connect"}}]
            """#
        let report = try found(text, probe: "{type: http, interval: 1m}")
        #expect(report.diagnostics.isEmpty)
        func url(_ target: TargetSettings) -> String? {
            guard case .ask(let request)? = target.probe?.method, case .http(let http) = request.kind else {
                return nil
            }
            return "\(http.url)"
        }
        try #require(report.targets.count == 3)
        #expect(url(report.targets[0]) == "https://a.test:8080/health")
        #expect(report.targets[0].probe?.verdict.interval == .seconds(10))
        #expect(url(report.targets[1])?.hasSuffix("b.test/x?y=z") == true)
        #expect(report.targets[1].id == "https-b.test-x-y-z")
        #expect(report.targets[2].probe?.type == "tcp")
        #expect(report.targets[2].probe?.verdict.interval == .seconds(60))
    }

    @Test(
        "errors have a position, and nothing of the file is used",
        arguments: [
            ("{", 1), ("{}", 1), ("[1]", 1), (#"[{"target":["a"]}]"#, 1), (#"[{"targets":"a"}]"#, 1),
            ("[{\"targets\":\n[\"a b\"]}]", 2), (#"[{"targets":["a:99999"]}]"#, 1), (#"[{"targets":["a:"]}]"#, 1),
            (#"[{"targets":["a"],"labels":{"__scheme__":"ftp"}}]"#, 1), (#"[{"targets":[null]}]"#, 1),
            (#"[{"targets":["a"],"labels":{"a b":"c"}}]"#, 1), (#"[{"targets":["ok","ftp://a/"]}]"#, 1),
        ] as [(String, Int)]
    )
    func diagnostics(text: String, line: Int) throws {
        let report = try found(text)
        #expect(report.targets.isEmpty)
        let fault = try #require(report.diagnostics.first?.diagnostics.first)
        #expect(fault.description.hasPrefix("\(folder.path)/a.json:\(line):"), "\(fault)")
    }

    @Test("a faulty file keeps its earlier targets, is reported once, and is used again when it is valid")
    func lastGoodState() throws {
        var files = try files()
        #expect(files.scan().notes.map(\.text).first?.contains("no discovery file matches") == true)
        #expect(files.scan().notes.isEmpty)
        try folder.replace(#"[{"targets":["a.test"]}]"#, at: "a.json")
        try folder.replace(#"[{"targets":["b.test"]}]"#, at: "b.json")
        #expect(files.scan().targets.map(\.id) == ["a.test", "b.test"])
        try folder.replace("[", at: "a.json")
        let broken = files.scan()
        #expect(broken.targets.map(\.id) == ["a.test", "b.test"])
        #expect(broken.diagnostics.count == 1)
        #expect(files.scan().diagnostics.isEmpty)
        try folder.replace(#"[{"targets":["c.test"]}]"#, at: "a.json")
        let mended = files.scan()
        #expect(mended.targets.map(\.id) == ["c.test", "b.test"])
        #expect(mended.notes.count == 1)
        try Command.run(["rm", folder.path(of: "a.json")])
        let gone = files.scan()
        #expect(gone.targets.map(\.id) == ["b.test"])
        #expect(gone.notes.first?.text.contains("was removed") == true)
    }

    @Test("one address in several places is one target, and the first place counts")
    func overlaps() throws {
        var files = try files()
        try folder.replace(#"[{"targets":["a.test","a.test"],"labels":{"n":"1"}}]"#, at: "a.json")
        try folder.replace(#"[{"targets":["a.test","b.test"],"labels":{"n":"2"}}]"#, at: "b.json")
        let report = files.scan()
        #expect(report.targets.map(\.id) == ["a.test", "b.test"])
        #expect(report.targets.map { $0.tags["n"] } == ["1", "2"])
        #expect(report.notes.count == 2)
        #expect(files.scan().notes.isEmpty)
    }

    @Test("more targets than there is room for are a fault of the file that has them")
    func room() throws {
        var files = try files()
        try folder.replace(#"[{"targets":["a.test","b.test"]}]"#, at: "a.json")
        try folder.replace(#"[{"targets":["c.test","d.test"]}]"#, at: "b.json")
        let report = files.scan(room: 3)
        #expect(report.targets.map(\.id) == ["a.test", "b.test"])
        #expect(report.diagnostics.count == 1)
        #expect(files.scan(room: 4).targets.count == 4)
    }

    @Test("variables are text, and files that a probe of the configuration names may be")
    func author() throws {
        let report = try found(#"[{"targets":["a.test:1"],"labels":{"x":"${HOME}"}}]"#, probe: "{type: tcp}")
        #expect(report.targets.first?.tags == ["x": "${HOME}"])
    }

    @Test(
        "errors of the section are reported at their position",
        arguments: [
            ("discovery: {files: x}", "/discovery/files"), ("discovery: {files: '/a*/b.json'}", "/discovery/files"),
            ("discovery: {refresh: 1m}", "/discovery"), ("discovery: {files: /a, refresh: 1}", "/discovery/refresh"),
            ("discovery: {files: /a, probe: {}}", "/discovery/probe"),
            ("discovery: {files: /a, probe: {type: tcp, fall: 0}}", "/discovery/probe/fall"),
            ("discovery: {files: /a, probe: {type: tcp, url: 'http://a/'}}", "/discovery/probe/url"),
            ("discovery: {files: /a, probe: {type: tcp, interval: 1s, timeout: 2s}}", "/discovery/probe/timeout"),
            ("limits: {targets: 1}\ntargets: [{host: a}, {host: b}]", "/targets"), ("state_file: x", "/state_file"),
        ]
    )
    func section(text: String, pointer: String) throws {
        let diagnostics = #expect(throws: ConfigurationDiagnostics.self) { try load(text) }
        #expect(
            diagnostics?.diagnostics.contains { $0.pointer == pointer } == true,
            "\(diagnostics?.description ?? "")"
        )
    }

    @Test("the sections of its probe are there only where they are written")
    func optionalSections() throws {
        let settings = try #require(try load("discovery: {files: /a, probe: {type: http}}").discovery)
        #expect(settings.probe?.has("tls") == false)
        #expect(try load("discovery: {}").discovery == nil)
        let same = try load("\n\ndiscovery: {probe: {type: http}, files: /a}").discovery
        #expect(same == settings)
    }
}
