// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Monitoring
import Probing
import Schema
import TestSupport
import Testing

@testable import Importing

@Suite struct PrometheusImportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let rules = """
            relabel_configs:
              - { source_labels: [ __address__ ], target_label: __param_target }
              - { source_labels: [ __param_target ], target_label: instance }
              - { target_label: __address__, replacement: "127.0.0.1:9115" }
        """

    /// A configuration with one job.
    private func job(_ text: String, rules: String = rules) -> String {
        "scrape_configs:\n  - job_name: web\n    metrics_path: /probe\n\(text)\n\(rules)\n"
    }

    private func imported(_ text: String, modules: String? = nil) throws -> ImportedConfiguration {
        let path = try folder.write(text, to: "prometheus.yml")
        return try ImportedConfiguration(file: path, modules: modules)
    }

    private func words(_ imported: ImportedConfiguration) -> [String] {
        imported.notes.map { "\($0.file.split(separator: "/").last ?? ""):\($0.position?.line ?? 0): \($0.words)" }
    }

    private func request(_ target: TargetSettings?) throws -> ProbeRequest {
        guard case .ask(let request)? = target?.probe?.method else { throw ConfigurationDiagnostics([]) }
        return request
    }

    @Test("targets of a probe job have the module's probe, the scrape's interval, the job as group and labels as tags")
    func job() throws {
        try folder.write(
            """
            modules:
              login: { prober: http, timeout: 3s, http: { method: POST, valid_status_codes: [ 204 ], preferred_ip_protocol: ip4 } }
            """,
            to: "blackbox.yml"
        )
        let text = """
            global: { scrape_interval: 30s, scrape_timeout: 8s }
            rule_files: [ "rules.yml" ]
            scrape_configs:
              - job_name: node
                static_configs: [ { targets: [ "localhost:9100" ] } ]
              - job_name: web
                metrics_path: /probe
                params: { module: [ login ], hostname: [ shop.example.org ] }
                scrape_interval: 2m
                static_configs:
                  - targets: [ "https://a.example.org/x?y", b.example.org, b.example.org ]
                    labels: { team: core, empty: "" }
            \(Self.rules)
            """
        let imported = try imported(text)
        let targets = try load(imported.text).targets
        #expect(targets.map(\.id) == ["web_https-a.example.org-x-y", "web_b.example.org"])
        #expect(targets.map(\.name) == ["https://a.example.org/x?y", "b.example.org"])
        #expect(targets.allSatisfy { $0.group == "web" && $0.tags == ["team": "core"] })
        #expect(targets[0].probe?.verdict.interval == .seconds(120))
        let first = try request(targets[0])
        guard case .http(let http) = first.kind, case .http(let other) = try request(targets[1]).kind else {
            Issue.record("no http")
            return
        }
        #expect(http.url.description == "https://a.example.org/x?y" && other.url.description == "http://b.example.org/")
        #expect(http.method == "POST" && http.expectation.statuses == HTTPStatusRanges("204"))
        #expect(http.headers.map { "\($0.name): \($0.value)" } == ["Host: shop.example.org"])
        #expect(first.timeout == .seconds(3))
        #expect(imported.formats == [.prometheus] && imported.summary == "2 of 2 targets imported; nothing lost")
        #expect(
            words(imported) == [
                "prometheus.yml:1: the modules are those of the file \(folder.path)/blackbox.yml",
                "prometheus.yml:1: 1 job is left to Prometheus, because reachd imports probe jobs alone: node",
                "prometheus.yml:1: alert rules and Alertmanagers are not imported; see notify",
            ]
        )
    }

    @Test("secrets of modules are read from the same places by modules and by all their targets")
    func secrets() throws {
        let modules = """
            modules:
              api:
                prober: http
                http: { headers: { X-Api-Key: S3CRET, Accept: text/plain }, bearer_token: S3CRET }
            ---

            """
        let groups = """
                params: { module: [ api ], hostname: [ h.test ] }
                static_configs: [ { targets: [ "https://a.test/", "https://b.test/?token=S3CRET" ] } ]
            """
        let imported = try imported(modules + job(groups))
        let configuration = try load(imported.text, environment: ["API_X_API_KEY": "k"])
        #expect(configuration.probeModules.contains { $0.name == "api" })
        for target in configuration.targets {
            guard case .http(let http) = try request(target).kind else {
                Issue.record("no http")
                return
            }
            let headers = http.headers.map { "\($0.name): \($0.value)" }
            #expect(headers.sorted() == ["Accept: text/plain", "Host: h.test", "X-Api-Key: k"])
        }
        #expect(configuration.targets.count == 2)
        let file = "token_file: /run/secrets/api-token"
        let pieces = imported.text.split(separator: file, omittingEmptySubsequences: false)
        #expect(pieces.count == 4 && !imported.text.contains("X-Api-Key: S3CRET"))
        let notes = imported.notes.map(\.words).filter { $0.contains("secret") || $0.contains("variable") }
        #expect(
            notes.sorted() == [
                "environment variables are read: API_X_API_KEY; an unset one is empty",
                "the module 'api': put the value of http.bearer_token in the file /run/secrets/api-token",
                "the module 'api': put the value of http.headers.X-Api-Key in the environment variable API_X_API_KEY",
                "the target web/https://b.test/?token=S3CRET: __param_target is written as it is; check whether it contains a secret",
            ]
        )
    }

    @Test("modules of each prober take their targets, and the exporter's own modules are used without a file")
    func modules() throws {
        let groups = """
                static_configs:
                  - { targets: [ "[2001:db8::1]:22", "192.0.2.7:22", "h.test:22" ], labels: { __param_module: tcp_connect } }
                  - { targets: [ 192.0.2.8, r.test ], labels: { __param_module: icmp } }
                  - { targets: [ "h.test:50051" ], labels: { __param_module: grpc } }
                  - { targets: [ "mail.test:995" ], labels: { __param_module: pop3s_banner } }
                  - { targets: [ "https://h.test/" ], labels: { __param_module: tcp_connect } }
                  - { targets: [ "a b" ], labels: { __param_module: icmp } }
                  - { targets: [ h.test ], labels: { __param_module: odd } }
                  - { targets: [ h.test ], labels: { __param_target: "" } }
            """
        let imported = try imported(job(groups))
        let targets = try load(imported.text).targets
        #expect(targets.compactMap { $0.probe?.type } == ["tcp", "tcp", "tcp", "icmp", "icmp", "grpc", "tls", "http"])
        #expect(
            targets.map(\.text) == [
                "2001:db8::1", "192.0.2.7", "h.test", "192.0.2.8", "r.test", "h.test", "mail.test", "h.test",
            ]
        )
        // Half a second less than the scrape's, as the exporter does it.
        #expect(try request(targets[0]).timeout == .milliseconds(9_500))
        let notes = words(imported)
        for (line, start) in [
            (9, "the target web/https://h.test/ is left out: 'https://h.test/' is a URL"),
            (10, "the target web/a b is left out"),
            (11, "the target web/h.test is left out: blackbox_exporter's file has no module 'odd'"),
            (
                1,
                "no file of modules was found, and blackbox_exporter's own are used: grpc, http_2xx, icmp, pop3s_banner, tcp_connect"
            ),
        ] {
            #expect(notes.contains { $0.hasPrefix("prometheus.yml:\(line): \(start)") }, "\(start) \(notes)")
        }
        #expect(imported.summary == "8 of 11 targets imported")
    }

    @Test("files of file_sd_configs are read, relative to the configuration and where an image has them")
    func files() throws {
        try folder.write("[ { \"targets\": [ \"a.test\" ], \"labels\": { \"site\": \"x\" } } ]", to: "targets/one.json")
        try folder.write("- targets: [ b.test ]\n  labels: { service: shop }\n", to: "targets/two.yml")
        try folder.write("- 1\n", to: "targets/zzz.yml")
        let configs = """
                file_sd_configs:
                  - { files: [ "targets/*.json" ], refresh_interval: 1m }
                  - files: [ "/etc/prometheus/targets/*.yml", "none/*.yml", "*/*/*.yml" ]
                kubernetes_sd_configs: [ { role: service } ]
                http_sd_configs: [ { url: "http://x" } ]
            """
        let imported = try imported(job(configs))
        let targets = try load(imported.text).targets
        #expect(targets.map(\.id) == ["web_a.test", "web_b.test"])
        #expect(targets.map(\.tags) == [["site": "x"], ["service": "shop"]])
        let notes = words(imported)
        for start in [
            "prometheus.yml:6: the job web: no file matches 'none/*.yml'",
            "prometheus.yml:6: the job web: no file matches '*/*/*.yml'",
            "prometheus.yml:6: the job web: a file of file_sd_configs cannot be used",
            "prometheus.yml:7: the job web: the targets of kubernetes_sd_configs are not known here",
            "prometheus.yml:8: the job web: the targets of http_sd_configs",
        ] {
            #expect(notes.contains { $0.hasPrefix(start) }, "\(start) \(notes)")
        }
        // A text has no files.
        #expect(throws: ConfigurationDiagnostics.self) {
            try ImportedConfiguration(Array(job(configs).utf8), path: "p")
        }
    }

    @Test("a pattern of another machine finds the job's files alone, and its discovery is written beside them")
    func otherFiles() throws {
        try folder.write("- targets: [ a.test ]\n", to: "targets/one.yml")
        for name in ["alerts.yml", "blackbox.yml"] { try folder.write("- 1\n", to: name) }
        let found = try imported(job("    file_sd_configs: [ { files: [ \"/etc/prometheus/targets/*.yml\" ] } ]"))
        #expect(try load(found.text).targets.map(\.id) == ["web_a.test"])
        #expect(!words(found).contains { $0.contains("cannot be used") })
        let written = found.text.split(separator: "\n").drop { $0 != "# discovery:" }.map { $0.dropFirst(2) }
        let configuration = try load(written.joined(separator: "\n") + "\n")
        let discovery = try #require(configuration.discovery)
        #expect(discovery.files == [folder.path + "/targets/*.yml"])
        #expect(written.contains { $0 == "    type: http" }, "\(written)")
        let missing = try? imported(job("    file_sd_configs: [ { files: [ \"/etc/prometheus/none/*.yml\" ] } ]"))
        #expect(missing == nil, "files beside the configuration are not the job's")
        // Rules that reachd's discovery does not have.
        let rules = """
                relabel_configs:
                  - { source_labels: [ __address__ ], regex: "(.*)", target_label: __param_target, replacement: "https://$1/" }
            """
        let other = try imported(
            job("    file_sd_configs: [ { files: [ \"targets/*.yml\" ] } ]", rules: rules)
        )
        #expect(!other.text.contains("discovery:"))
    }

    @Test("rules read the path of a target's file")
    func filePath() throws {
        try folder.write("- targets: [ a.test ]\n", to: "targets/berlin.yml")
        let rule = """
            - { source_labels: [ __meta_filepath ], regex: ".*/(.+)\\\\.yml", target_label: site }
            """
        let imported = try imported(
            job("    file_sd_configs: [ { files: [ \"targets/*.yml\" ] } ]", rules: Self.rules + "\n      \(rule)")
        )
        #expect(try load(imported.text).targets.map(\.tags) == [["site": "berlin"]])
    }

    @Test("notes on targets of a file name the file and its line")
    func placesInFiles() throws {
        try folder.write("- targets:\n    - ok.test\n    - \"https://h.test/\"\n", to: "t.yml")
        let imported = try imported(
            job("    params: { module: [ icmp ] }\n    file_sd_configs: [ { files: [ t.yml ] } ]")
        )
        #expect(words(imported).contains { $0.hasPrefix("t.yml:3: the target web/https://h.test/ is left out") })
    }

    @Test(
        "rules are applied in order, with every action that changes targets",
        arguments: [
            ("{ source_labels: [ team ], regex: \"a|b\", action: keep }", ["a", "b"]),
            ("{ source_labels: [ team ], regex: a, action: drop }", ["b", "c"]),
            ("{ source_labels: [ team, __address__ ], separator: \"@\", regex: \"b@.*\", action: keep }", ["b"]),
            ("{ source_labels: [ team ], target_label: mark, action: keepequal }", ["b"]),
            ("{ source_labels: [ team ], target_label: mark, action: dropequal }", ["a", "c"]),
            (
                "{ source_labels: [ team ], regex: \"(a|c)\", target_label: team, replacement: \"${1}x\" }",
                ["ax", "b", "cx"]
            ),
            ("{ source_labels: [ team ], target_label: team, action: uppercase }", ["A", "B", "C"]),
            ("{ regex: team, action: labeldrop }", [nil, nil, nil]),
            ("{ regex: \"te(.*)\", replacement: \"ma$1\", action: labelmap }", ["a", "b", "c"]),
            ("{ source_labels: [ __address__ ], modulus: 4, target_label: shard, action: hashmod }", ["a", "b", "c"]),
            ("{ source_labels: [ team ], regex: a, target_label: team, replacement: \"\" }", [nil, "b", "c"]),
        ] as [(String, [String?])]
    )
    func rules(rule: String, teams: [String?]) throws {
        let groups = """
                static_configs:
                  - { targets: [ a.test ], labels: { team: a } }
                  - { targets: [ b.test ], labels: { team: b, mark: b } }
                  - { targets: [ c.test ], labels: { team: c, mark: x } }
            """
        let imported = try imported(job(groups, rules: Self.rules + "\n      - \(rule)"))
        #expect(try load(imported.text).targets.map { $0.tags["team"] } == teams)
    }

    @Test(
        "labels choose the module and the interval, labelkeep keeps what it names, and other jobs stay with Prometheus"
    )
    func labels() throws {
        let rules = """
                relabel_configs:
                  - { source_labels: [ __address__ ], regex: "(.+);(.+);(.+)", target_label: __param_module, replacement: "$1" }
                  - { source_labels: [ __address__ ], regex: "(.+);(.+);(.+)", target_label: __param_target, replacement: "$2" }
                  - { source_labels: [ __address__ ], regex: "(.+);(.+);(.+)", target_label: __scrape_interval__, replacement: "$3" }
                  - { target_label: __metrics_path__, replacement: /probe }
                  - { regex: "__.*|job", action: labelkeep }
            """
        let text =
            "scrape_configs:\n  - job_name: any\n    static_configs: [ { targets: [ \"icmp;r.test;15s\" ], labels: { a: b } } ]\n\(rules)\n"
        let target = try load(imported(text).text).targets[0]
        #expect(target.probe?.type == "icmp" && target.text == "r.test" && target.tags.isEmpty)
        #expect(target.probe?.verdict.interval == .seconds(15) && target.group == "any")
        let bad = try #require(throws: ConfigurationDiagnostics.self) {
            try imported(
                job("    static_configs: [ { targets: [ a ] } ]", rules: "    relabel_configs: [ { regex: \"(\" } ]")
            )
        }
        #expect(bad.description.contains("the job web is left out: the regex '(' of relabelling cannot be used"))
        let none = #expect(throws: ConfigurationDiagnostics.self) {
            try imported("scrape_configs: [ { job_name: n, static_configs: [ { targets: [ a ] } ] } ]")
        }
        #expect(none?.description.contains("reachd imports probe jobs alone: n") == true)
    }

    @Test(
        "modules come from the option, from the same file, or from a folder of the exporter; jobs from files of their own"
    )
    func places() throws {
        let one = "    params: { module: [ m ] }\n    static_configs: [ { targets: [ h.test ] } ]"
        let given = try folder.write("modules: { m: { prober: icmp } }", to: "given.yml")
        #expect(try load(imported(job(one), modules: given).text).targets[0].probe?.type == "icmp")
        #expect(throws: ConfigurationDiagnostics.self) { try imported(job(one), modules: folder.path + "/none.yml") }
        let both = job(one) + "---\nmodules: { m: { prober: http } }\n"
        #expect(try load(imported(both).text).targets[0].probe?.type == "http")
        try folder.write(
            "modules: { m: { prober: dns, dns: { query_name: a.test } } }",
            to: "blackbox_exporter/config.yml"
        )
        #expect(try load(imported(job(one)).text).targets[0].probe?.type == "dns")
        try folder.write(job(one), to: "jobs/a.yml")
        #expect(
            try load(imported("scrape_configs: []\nscrape_config_files: [ \"jobs/*.yml\" ]").text).targets.count == 1
        )
    }

    @Test("jobs in the values of charts are found, also as a list")
    func lists() throws {
        let text =
            "prometheus:\n  additionalScrapeConfigs:\n    - job_name: web\n      metrics_path: /probe\n      params: { module: [ icmp ], target: [ h.test ] }\n      static_configs: [ { targets: [ \"b:9115\" ] } ]\n"
        let imported = try imported(text)
        #expect(try load(imported.text).targets.map(\.text) == ["h.test"])
        #expect(imported.notes.contains { $0.words.contains("is that in prometheus.additionalScrapeConfigs") })
    }

    @Test("hostile files and rules end")
    func hostile() throws {
        let many = (0..<40).map {
            "      - { source_labels: [ a ], regex: \"(.*)\", target_label: a, replacement: \"${1}${1}\($0)\" }"
        }
        let growing = job(
            "    static_configs: [ { targets: [ h.test ], labels: { a: x } } ]",
            rules: Self.rules + "\n" + many.joined(separator: "\n")
        )
        #expect(throws: ConfigurationDiagnostics.self) { try imported(growing) }
        let doubled = (0..<40).map {
            "      - { regex: \"(.*)\", replacement: \"\($0.isMultiple(of: 2) ? "a" : "b")$1\", action: labelmap }"
        }
        let doubling = job(
            "    static_configs: [ { targets: [ h.test ] } ]",
            rules: Self.rules + "\n" + doubled.joined(separator: "\n")
        )
        #expect(throws: ConfigurationDiagnostics.self) { try imported(doubling) }
        let zero = job("    file_sd_configs: [ { files: [ /dev/zero, \"/dev/stdin\", \"/proc/self/mem\" ] } ]")
        #expect(throws: ConfigurationDiagnostics.self) { try imported(zero) }
        var random = SeededGenerator(seed: 3)
        let original = Array(
            job("    params: { module: [ icmp ] }\n    static_configs: [ { targets: [ h.test ], labels: { a: x } } ]")
                .utf8
        )
        var valid = 0
        for _ in 0..<400 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[place] = UInt8.random(in: 32...126, using: &random)
                } else {
                    bytes.remove(at: place)
                }
            }
            guard let imported = try? ImportedConfiguration(bytes, path: "p", format: .prometheus) else { continue }
            valid += 1
            #expect(faults(imported.text, environment: [:]).isEmpty, "\(imported.text)")
        }
        #expect(valid > 50)
    }
}
