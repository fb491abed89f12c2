// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Monitoring
import Testing

@testable import Importing

@Suite struct UnwrappingTests {
    private func imported(_ text: String, _ format: ForeignFormat? = nil) throws -> ImportedConfiguration {
        try ImportedConfiguration(Array(text.utf8), path: "k.yaml", format: format)
    }

    private static let endpoint = "{ name: a, url: \"tcp://192.0.2.1:1\", odd: 1 }"
    private static let modules = "modules: { web: { prober: http, odd: 1 } }"

    /// A text in a document, the note on where it was, and where its note is.
    static let wrapped: [(text: String, place: String, note: String)] = [
        (
            """
            apiVersion: v1
            kind: ConfigMap
            metadata: { name: status }
            data:
              other.txt: no
              config.yaml: |

                endpoints:
                  - \(endpoint)
            ---
            kind: Service
            """,
            "k.yaml:8:5: the configuration of Gatus is that in ConfigMap status, data.config.yaml", "9:46"
        ),
        (
            """
            apiVersion: v1
            kind: List
            items:
              - apiVersion: v1
                kind: ConfigMap
                metadata: { name: blackbox }
                data: { blackbox.yml: "\(modules)\\n" }
            """,
            "k.yaml:7:27: the configuration of blackbox_exporter is that in ConfigMap blackbox, data.blackbox.yml",
            "7:27"
        ),
        (
            """
            apiVersion: v1
            kind: Secret
            metadata: { name: s }
            data: { a: ZW5kcG9pbnRzOgotIHsgbmFtZTogYSwgdXJsOiAidGNwOi8vMTkyLjAuMi4xOjEiLCBvZGQ6IDEgfQo= }
            """,
            "k.yaml:4:12: the configuration of Gatus is that in Secret s, data.a", "4:12"
        ),
        (
            "config:\n  endpoints:\n    - \(endpoint)\nimage: { tag: x }\n",
            "k.yaml:2:3: the configuration of Gatus is that in config", "3:44"
        ),
        (
            """
            apiVersion: helm.toolkit.fluxcd.io/v2
            kind: HelmRelease
            metadata: { name: probes }
            spec:
              values:
                config: { \(modules) }
            """,
            "k.yaml:6:13: the configuration of blackbox_exporter is that in HelmRelease probes, spec.values.config",
            "6:47"
        ),
    ]

    @Test(
        "a configuration inside of a manifest or of values is found, and its notes have their place in the file",
        arguments: wrapped.indices
    )
    func unwraps(index: Int) throws {
        let (text, place, note) = Self.wrapped[index]
        let lines = try imported(text).notes.map(\.line)
        #expect(lines.contains(place), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("k.yaml:\(note): ") && $0.contains("'odd'") }, "\(lines)")
    }

    @Test("several configurations of one file are one result; a format chooses among them")
    func several() throws {
        let text =
            "\(Self.modules)\n---\nendpoints: [ \(Self.endpoint) ]\n---\nvalues: { gatus: { config: { endpoints: [ \(Self.endpoint) ] } } }\n"
        let all = try imported(text)
        #expect(all.formats == [.blackbox, .gatus])
        #expect(try load(all.text).targets.map(\.id) == ["a", "a-2"])
        #expect(all.summary == "1 of 1 module imported, 2 of 2 endpoints imported; lost: 3 settings")
        #expect(try load(imported(text, .gatus).text).targets.count == 2)
        #expect(try imported(text, .blackbox).formats == [.blackbox])
    }

    @Test("other documents with such keys are no configurations, and a template says what to do")
    func others() throws {
        let monitor = "apiVersion: v1\nkind: ServiceMonitor\nspec: { endpoints: [ { port: web } ] }\n"
        let faults = #expect(throws: ConfigurationDiagnostics.self) { try imported(monitor) }
        #expect(faults?.description.contains("no configuration that reachd can import") == true)
        let template = #expect(throws: ConfigurationDiagnostics.self) { try imported("endpoints:\n  {{- x }}\n a") }
        #expect(template?.description.contains("helm template") == true)
        let broken = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: m }\ndata:\n  c: |\n    endpoints: [\n    a\n"
        let damaged = #expect(throws: ConfigurationDiagnostics.self) { try imported(broken) }
        #expect(damaged?.description.contains("ConfigMap m, data.c is not YAML") == true)
    }

    @Test("hostile documents end: deep, wide and aliased ones, and texts in texts")
    func hostile() throws {
        var bomb = "a0: &a0 \"endpoints: [\\n\"\n"
        for level in 1...6 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            bomb += "a\(level): &a\(level) [ \(aliases) ]\n"
        }
        let deep = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
        let many = String(repeating: "---\n{}\n", count: 1_001)
        for text in [bomb, deep, many, "kind: Secret\napiVersion: v1\ndata: { a: \"====\" }"] {
            #expect(throws: ConfigurationDiagnostics.self) { try imported(text) }
        }
    }

    @Test("a Probe of Prometheus' operator has the targets of its job; those of its Ingresses are elsewhere")
    func operatorProbe() throws {
        let text = """
            apiVersion: v1
            kind: List
            items:
              - apiVersion: monitoring.coreos.com/v1
                kind: Probe
                metadata: { name: sites, namespace: monitoring }
                spec:
                  jobName: web
                  interval: 2m
                  module: http_2xx
                  prober: { url: "blackbox-exporter:9115" }
                  targets:
                    staticConfig:
                      static: [ "https://example.org", "https://example.com" ]
                      labels: { team: a }
                      relabelingConfigs: [ { sourceLabels: [ instance ], regex: '.*\\.com', action: drop } ]
              - apiVersion: monitoring.coreos.com/v1
                kind: Probe
                metadata: { name: found }
                spec: { prober: { url: x }, module: http_2xx, targets: { ingress: { selector: {} } } }
            """
        let imported = try ImportedConfiguration(Array(text.utf8), path: "probes.yaml")
        let targets = try load(imported.text).targets
        #expect(targets.map(\.name) == ["https://example.org"] && targets.map(\.group) == ["web"])
        #expect(targets.first?.tags == ["team": "a", "namespace": "monitoring"])
        #expect(imported.text.contains("interval: 2m"))
        #expect(
            imported.notes.contains {
                $0.words.hasPrefix("the job probe/found: ") && $0.words.hasSuffix("see discovery.kubernetes")
            }
        )
    }

    @Test("what came by a pipe is read as a file is; a database is not")
    func input() throws {
        let map =
            "kind: ConfigMap\napiVersion: v1\ndata: { config.yaml: \"endpoints: [ { name: a, url: 'icmp://192.0.2.1' } ]\\n\" }\n"
        let imported = try ImportedConfiguration(input: Array(map.utf8))
        #expect(imported.count == 1 && imported.notes.first?.file == "standard input")
        for bytes in [Array("SQLite format 3\0".utf8), [UInt8](repeating: 0x20, count: 17 << 20), []] {
            #expect(throws: ConfigurationDiagnostics.self) { try ImportedConfiguration(input: bytes) }
        }
    }
}
