// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

@Suite("/metrics, /probe and imports of the real service") struct ScrapeTests {
    private static func value(_ name: String, _ text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }.map { String($0.dropFirst(name.utf8.count + 1)) }
    }

    @Test("modules change with the configuration, and a rejected one is reported")
    func reload() throws {
        let service = try RunningService("auto_targets: false")
        #expect(try service.get("/probe?module=tcp&target=127.0.0.1:1").status == 404)
        let before = try service.get("/metrics").text
        #expect(Self.value("reachd_config_last_reload_successful", before) == "1")
        try service.reload("probe_modules: [ { name: tcp, probe: { type: tcp } } ]")
        #expect(service.waitForLine { $0.contains("configuration reloaded") } != nil)
        let text = try service.get("/probe?module=tcp&target=127.0.0.1:\(service.port)").text
        #expect(Self.value("probe_success", text) == "1")
        try service.reload("probe_modules: [ { name: tcp } ]")
        #expect(service.waitForLine { $0.contains("rejected") } != nil)
        #expect(Self.value("reachd_config_last_reload_successful", try service.get("/metrics").text) == "0")
        #expect(try service.get("/probe?module=tcp&target=127.0.0.1:1").status == 200)
        try service.reload("")
        #expect(service.waitForLine { $0.contains("configuration reloaded") } != nil)
        let after = try service.get("/metrics").text
        #expect(Self.value("reachd_config_last_reload_successful", after) == "1")
        func time(_ text: String) -> Double {
            Self.value("reachd_config_last_reload_success_timestamp_seconds", text).flatMap { Double($0) } ?? 0
        }
        #expect(time(after) > time(before))
        #expect(try service.get("/probe?module=tcp&target=127.0.0.1:1").status == 404)
    }

    @Test("targets that access.targets denies are not probed: by an address, and by a name that resolves to it")
    func policy() throws {
        let service = try RunningService(
            """
            access: { targets: { deny: [ 127.0.0.0/8, "::1/128" ] } }
            probe_modules: [ { name: tcp, probe: { type: tcp } } ]
            """
        )
        for target in ["127.0.0.1", "localhost", "%5B::ffff:127.0.0.1%5D", "169.254.169.254"] {
            let reply = try service.get("/probe?module=tcp&target=\(target):\(service.port)")
            #expect(
                reply.status == 403 && reply["Content-Type"] == "application/problem+json",
                "\(target): \(reply.text)"
            )
        }
        let metrics = try service.get("/metrics").text
        #expect(metrics.contains("reachd_probe_scrapes_total{result=\"refused\"} 4\n"))
    }

    @Test("a target without a response is reported in time for the scraper")
    func timeout() throws {
        let silent = try SilentServer()
        let service = try RunningService(
            "probe_modules: [ { name: http_2xx, probe: { type: http, timeout: 1m } } ]"
        )
        let patience = ["X-Prometheus-Scrape-Timeout-Seconds": "0.4"]
        let reply = try HTTPClient.get("/probe?target=127.0.0.1:\(silent.port)", port: service.port, headers: patience)
        #expect(
            Self.value("probe_success", reply.text) == "0" && Self.value("probe_timeout_seconds", reply.text) == "0.2"
        )
        let duration = Self.value("probe_duration_seconds", reply.text).flatMap { Double($0) }
        #expect(duration.map { $0 >= 0.2 } == true)
        #expect(Self.value("probe_http_status_code", reply.text) == "0")
    }

    @Test("import reads a configuration from a pipe, however long, and says that an empty one is empty")
    func importsInput() throws {
        let folder = try TemporaryFolder()
        let items = (1...300).map { "  - { name: a\($0), url: \"icmp://192.0.2.1\" }" }
        let file = try folder.write("endpoints:\n" + items.joined(separator: "\n") + "\n", to: "gatus.yaml")
        let shell = ["sh", "-c", "cat \"$0\" | \"$1\" import - 2>&1", file, Reachd.path]
        let output = try Command.run(shell, environment: Reachd.cleanEnvironment)
        #expect(output.split(separator: "\n").filter { $0.hasPrefix("  - id: a") }.count == 300)
        #expect(output.hasSuffix("300 of 300 endpoints imported; nothing lost\n"), "\(output.suffix(200))")
        let empty = try Command.run(["sh", "-c", "\"$0\" import - 2>&1 </dev/null; echo $?", Reachd.path])
        #expect(empty == "reachd: -: the input is empty\n2\n")
    }

    @Test("import prints a valid configuration and exits with 0; with 2 if there is nothing to print")
    func imports() throws {
        let folder = try TemporaryFolder()
        let blackbox = try folder.write(
            "modules: { web: { prober: http, http: { fail_if_body_json_matches_cel: a } } }",
            to: "a.yml"
        )
        let result = try Reachd.run(["import", blackbox])
        #expect(result.status == 0)
        #expect(
            result.lines.contains {
                $0.hasPrefix("\(blackbox):1:") && $0.hasSuffix("'fail_if_body_json_matches_cel' is not carried over")
            }
        )
        let yaml = result.lines.filter { !$0.hasPrefix(blackbox) && !$0.contains(" imported") }
        let ours = try folder.write(yaml.joined(separator: "\n"), to: "ours.yaml")
        #expect(try Reachd.run(["validate", ours]).status == 0)
        let gatus = try folder.write("endpoints: [ { url: \"tcp://example.org:1\", conditions: [] } ]", to: "g.yaml")
        #expect(try Reachd.run(["import", "--from", "gatus", gatus]).output.contains("\n  - id: tcp-example.org-1\n"))
        let wide = try folder.write(
            """
            endpoints:
              - { name: "gr\u{fc}n \\x1b[2J", url: "tcp://example.org:1", conditions: [ "…" ] }
              - { url: "tcp://example.org:2" }
            """,
            to: "w.yaml"
        )
        let words = try Reachd.run(["import", wide]).output
        #expect(words.contains("the endpoint gr\u{fc}n \\u{1b}[2J: the condition '…' is not supported"), "\(words)")
        let many = try folder.write(
            "endpoints: [ { url: \"tcp://192.0.2.1:1\", conditions: [ a, b, c, \"[CONNECTED] == true\" ] } ]",
            to: "m.yaml"
        )
        let short = try Reachd.run(["import", many]).lines
        #expect(short.contains { $0.hasPrefix("\(many): 3 times: the condition … is not supported") }, "\(short)")
        #expect(short.contains("1 of 1 endpoint imported; lost: 3 conditions; -v shows all 3 notes"))
        let long = try Reachd.run(["import", "-v", many]).lines
        #expect(long.filter { $0.hasPrefix("\(many):1:") }.count == 3)
        let jobs = try folder.write(
            """
            scrape_configs:
              - job_name: web
                metrics_path: /probe
                params: { module: [ web ], target: [ example.org ] }
                static_configs: [ { targets: [ "127.0.0.1:9115" ] } ]
            """,
            to: "p/prometheus.yml"
        )
        #expect(try Reachd.run(["import", jobs]).status == 2)
        #expect(try Reachd.run(["import", jobs, "--modules", blackbox]).output.contains("url: \"http://example.org\""))
        let neither = try folder.write("a: 1", to: "n.yaml")
        for arguments in [
            ["import", neither], ["import", folder.path(of: "none")], ["import", "--from", "gatus", blackbox],
            ["import", "--from", "nagios", gatus], ["import"],
        ] {
            #expect(try Reachd.run(arguments).status == 2, "\(arguments)")
        }
    }

    @Test("a truncated export is not read as YAML, and creates no file")
    func partialExports() throws {
        let folder = try TemporaryFolder()
        for (text, words) in [
            ("", "the file is empty"), ("{\"reachd\":\"history\",\"version\":2}\n{}\n", "an export of version 2"),
            ("{\"kind\":\"event\"}\n{\"kind\":\"gap\"}\n", "the first line of the export is missing"),
        ] {
            let file = try folder.write(text, to: "x.jsonl")
            let result = try Reachd.run(["import", "--file", folder.path(of: "none.db"), file])
            #expect(result.status == 2 && result.lines.count == 1 && result.output.contains(words), "\(result.output)")
            #expect(try Reachd.run(["export", "--file", folder.path(of: "none.db")]).status == 1)
        }
    }
}
