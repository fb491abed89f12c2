// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import NetworkPaths
import ReachAPI
import Schema
import Testing

@testable import Configuration

@Suite struct SchemaTests {
    /// Every field of the table with its dotted key, those of list elements included.
    static func fields(_ schema: ObjectSchema = ConfigurationSchema.root, above: String = "") -> [(
        key: String, field: Field
    )] {
        schema.fields.flatMap { field -> [(key: String, field: Field)] in
            switch field.type {
            // What is there only as a whole is one setting.
            case .object where field.isOptionalSection: [(above + field.name, field)]
            case .object(let inner): fields(inner, above: above + field.name + ".")
            case .list(.object(let inner)):
                [(above + field.name, field)] + fields(inner, above: above + field.name + "[].")
            default: [(above + field.name, field)]
            }
        }
    }

    @Test("every default in the table can be read")
    func defaultsCanBeRead() throws {
        for (key, field) in Self.fields() {
            guard let standard = field.defaultValue else { continue }
            let text = ScalarText(text: standard, raw: standard, isBare: true, place: .option("default"))
            #expect(throws: Never.self, "\(key)") { try field.type.read(text) }
        }
    }

    @Test("every field has a description and a unique name")
    func fieldsAreDescribed() {
        for (key, field) in Self.fields() {
            #expect(field.summary.hasSuffix("."), "\(key)")
            #expect(field.name.allSatisfy { $0.isLowercase || $0 == "_" }, "\(key)")
        }
        #expect(Set(Self.fields().map(\.key)).count == Self.fields().count)
    }

    @Test("a difference knows every setting of the table")
    func differenceKnowsEverySetting() {
        let keys = Set(Self.fields().map(\.key).filter { !$0.contains("[]") && $0 != "targets" })
        #expect(Set(SettingChange.all.map(\.change.key)) == keys)
    }

    @Test("without a file everything has its default")
    func standard() throws {
        let configuration = try ConfigurationLoader().load(file: nil).configuration
        #expect(configuration == .standard)
        #expect(configuration.http.listen == [.standard])
        #expect(configuration.http.listen.map(\.description) == ["127.0.0.1:7532"])
        #expect(configuration.log == LogSettings(level: "info", format: .text))
        #expect(configuration.paths == PathEngineOptions())
        #expect(configuration.events == EventLogSettings())
        #expect(configuration.http.limits.heartbeat == .seconds(15))
        #expect(configuration.watchesAutomatically)
        #expect(configuration.targets.isEmpty)
    }

    @Test(
        "empty files, comments and empty sections are the default",
        arguments: ["", "# nothing\n", "---\n", "targets:\nlog:\n", "{}"]
    )
    func emptyTexts(text: String) throws {
        #expect(try load(text) == .standard)
    }

    @Test("everything that can be written is read")
    func everything() throws {
        let configuration = try load(
            """
            x-common: &tags {site: berlin}
            listen: ["0.0.0.0:80", "[::1]:7532", "unix:/run/reachd.sock", ":81", "localhost:82"]
            log: {level: debug, format: json}
            auto_targets: true
            interfaces:
              - {match: "wl*|altname:modem-*|kind:veth|driver:qmi_wwan", type: wired_ethernet, metered: true, constrained: false}
              - {match: eth9, ignore: true}
            connections:
              - {name: vpn, match: [10.0.0.0/8, "2001:db8::/32"], mode: intervention, cellular: true}
              - {match: default, mode: traffic}
            mark: 0xff
            sysfs: /host/sys
            network: {names: pessimistic, receive_buffer: 1MiB}
            events: {log_size: 100, log_bytes: 128KiB, heartbeat: 1m30s, max_streams: 7, stall_timeout: 1m}
            limits: {connections: 5, connections_per_address: 2, header_size: 4096, body_size: 0, header_timeout: 1s, body_timeout: 2s, idle_timeout: 1h}
            allowed_hosts: [Reachd.example., 192.0.2.8]
            targets:
              - {id: a, host: Example.ORG., name: A, port: 443, group: g, tags: *tags, mark: 1, names: optimistic}
              - {host: 192.0.2.1}
              - {address: "fe80::1%eth0"}
              - {address: 192.0.2.1, interface: eth1}
              - {address: 198.51.100.1, local_address: 192.0.2.2}
              - {local_address: 192.0.2.2}
              - {kind: default}
              - {kind: default, family: ipv6, interface: eth0}
              - {address: "::ffff:192.0.2.77", kind: address}
            """
        )
        #expect(
            configuration.http.listen.map(\.description) == [
                "0.0.0.0:80", "[::1]:7532", "unix:/run/reachd.sock", "*:81", "127.0.0.1:82",
            ]
        )
        #expect(configuration.http.listen.map(\.isLocal) == [false, true, true, false, true])
        #expect(configuration.log == LogSettings(level: "debug", format: .json))
        let rules = configuration.paths.interfaceRules
        #expect(rules.map(\.type) == [.wiredEthernet, nil])
        #expect(rules[0].patterns.map(\.subject) == [.name, .altname, .kind, .driver])
        #expect(rules.map(\.isExpensive) == [true, nil])
        #expect(rules.map(\.isConstrained) == [false, nil])
        #expect(rules.map(\.isIgnored) == [false, true])
        let connections = configuration.paths.connections
        #expect(connections.map(\.name) == ["vpn", "default"])
        #expect(connections.map(\.mode) == [.intervention, .traffic])
        #expect(connections.map { $0.prefixes?.count } == [2, nil])
        #expect(connections.map(\.isCellular) == [true, false])
        #expect(configuration.paths.mark == 255)
        #expect(configuration.paths.sysfsRoot == "/host/sys")
        #expect(configuration.paths.receiveBuffer == 1 << 20)
        #expect(configuration.nameEvaluation == .pessimistic)
        #expect(configuration.events.capacity == 100)
        #expect(configuration.events.maximumBytes == 128 << 10)
        #expect(configuration.http.limits.heartbeat == .seconds(90))
        #expect(configuration.http.limits.streams == 7)
        #expect(configuration.http.limits.connections == 5)
        #expect(configuration.http.limits.connectionsPerAddress == 2)
        #expect(configuration.http.limits.headerSize == 4096)
        #expect(configuration.http.limits.bodySize == 0)
        #expect(configuration.http.limits.headerTimeout == .seconds(1))
        #expect(configuration.http.limits.bodyTimeout == .seconds(2))
        #expect(configuration.http.limits.idleTimeout == .seconds(3600))
        #expect(configuration.http.limits.stallTimeout == .seconds(60))
        #expect(configuration.http.api.hosts == .loopback(also: ["reachd.example", "192.0.2.8"]))
        #expect(configuration.watchesAutomatically)
        let first = try #require(configuration.targets.first)
        #expect(first.id == "a" && first.name == "A" && first.port == 443 && first.group == "g")
        #expect(first.tags == ["site": "berlin"] && first.text == "Example.ORG" && first.origin == .config)
        #expect(first.request == PathRequest(.name("Example.ORG"), mark: 1, nameEvaluation: .optimistic))
        #expect(
            configuration.targets.dropFirst().map(\.id) == [
                "192.0.2.1", "fe80::1-eth0", "192.0.2.1-eth1", "192.0.2.2-to-198.51.100.1", "from-192.0.2.2", "default",
                "default-ipv6-eth0", "192.0.2.77",
            ]
        )
        #expect(
            configuration.targets.dropFirst().map(\.text) == [
                "192.0.2.1", "fe80::1%eth0", "192.0.2.1%eth1", "192.0.2.2>198.51.100.1", "192.0.2.2>", "default",
                "default%eth0", "192.0.2.77",
            ]
        )
        let local = try #require(IPAddress("192.0.2.2"))
        #expect(configuration.targets[5].request.target == .pair(local: local, remote: nil))
        #expect(configuration.targets[7].request.target == .defaultPath(family: .ipv6, interface: "eth0"))
        #expect(configuration.targets[1].request.nameEvaluation == .pessimistic)
    }

    @Test("the Host field is free only where others can connect, and bound where names are given")
    func allowedHosts() throws {
        #expect(try load("").http.api.hosts == .loopback(also: []))
        #expect(try load("listen: [127.0.0.1:1, '[::1]:1', unix:/a]").http.api.hosts == .loopback(also: []))
        #expect(try load("listen: 0.0.0.0:1").http.api.hosts == .any)
        #expect(try load("listen: [127.0.0.1:1, '*:1']").http.api.hosts == .any)
        #expect(try load("listen: 0.0.0.0:1\nallowed_hosts: [a]").http.api.hosts == .loopback(also: ["a"]))
    }

    @Test("declared targets disable the automatic ones by default")
    func automaticTargets() throws {
        #expect(try !load("targets: [{host: a}]").watchesAutomatically)
        #expect(try load("targets: [{host: a}]\nauto_targets: true").watchesAutomatically)
        #expect(try !load("auto_targets: false").watchesAutomatically)
    }

    @Test("a hundred thousand targets are accepted")
    func manyTargets() throws {
        var text = "targets:\n"
        for number in 0..<100_000 {
            let address = IPAddress(ipv4: 0x0a00_0000 + UInt32(number))
            text += "  - {id: t\(number), address: \(address), group: g, tags: {rack: r\(number % 40)}}\n"
        }
        let configuration = try load(text)
        #expect(configuration.targets.count == 100_000)
        #expect(configuration.targets.last?.id == "t99999")
    }
}
