// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import NetworkPaths
import Schema
import Testing

@testable import Configuration

@Suite struct SampleTests {
    /// `config/reachd.yaml`, beside the folder of the tests.
    static let path = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/config/reachd.yaml"

    static func text() throws -> String {
        String(decoding: try BoundedFile.read(path, maximum: 1 << 20), as: UTF8.self)
    }

    @Test("the sample is the default configuration")
    func sampleIsTheDefault() throws {
        let loaded = try ConfigurationLoader().load(file: Self.path)
        #expect(ConfigurationDifference(from: .standard, to: loaded.configuration).isEmpty)
        #expect(loaded.warnings.isEmpty)
    }

    @Test("the sample's examples are valid when they are enabled")
    func examplesAreValid() throws {
        let lines = try Self.text().split(separator: "\n", omittingEmptySubsequences: false).compactMap {
            line -> String? in
            // The two lines that have another value without the comment sign.
            if line.hasPrefix("listen:") { return nil }
            guard let sign = line.firstIndex(of: "#"), line[..<sign].allSatisfy({ $0 == " " }) else {
                return String(line)
            }
            let after = line[line.index(after: sign)...]
            guard let first = after.first else { return "" }
            let isExample = first != " " || after.hasPrefix("  ")
            return isExample ? String(line[..<sign] + after) : ""
        }
        let configuration = try load(lines.joined(separator: "\n"))
        #expect(
            configuration.targets.map(\.id) == [
                "example.org", "nas", "router", "mail", "submission", "vault", "shop", "orders", "telnet", "resolver",
                "time", "game", "backup",
                "192.0.2.2-to-198.51.100.7", "default-ipv6-eth0",
            ]
        )
        #expect(
            configuration.targets.map { $0.probe?.type } == [
                "tcp", nil, "icmp", "tcp", "tls", "tls", "http", "grpc", "tcp", "dns", "ntp", "udp", "push", nil, nil,
            ]
        )
        #expect(configuration.probing.anchors == ["example.org", "resolver"])
        #expect(configuration.paths.interfaceRules.count == 4)
        #expect(configuration.paths.connections.map(\.name) == ["office", "default"])
        #expect(configuration.http.listen.count == 3)
        #expect(configuration.paths.mark == 42)
        #expect(configuration.http.limits.connections == 4096)
    }

    @Test("the sample names every key")
    func everyKeyIsNamed() throws {
        let text = try Self.text()
        func check(_ schema: ObjectSchema) {
            for field in schema.fields {
                #expect(text.contains("\(field.name):"), "\(field.name) of \(schema.name) is not in the sample")
                switch field.type {
                case .object(let inner): check(inner)
                case .list(.object(let inner)): check(inner)
                default: break
                }
            }
        }
        check(ConfigurationSchema.root)
    }
}
