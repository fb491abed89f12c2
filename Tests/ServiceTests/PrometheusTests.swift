// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport
import Testing

/// A real Prometheus, promtool and blackbox_exporter, as Debian has them, against a real service.
@Suite("Prometheus") struct PrometheusTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

    /// A web server with and without TLS, for probes.
    private final class Peers {
        let tls: TLSServer
        let certificate: SelfSigned

        init() throws {
            certificate = try SelfSigned()
            tls = try TLSServer(in: certificate.folder.path, "own", [], mode: "-www")
        }
    }

    private final class SelfSigned {
        let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            try Command.run([
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                "30",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                folder.path(of: "own.key"), "-out", folder.path(of: "own.pem"),
            ])
        }
    }

    private static func configuration(_ peers: Peers) -> String {
        """
        targets:
          - { id: "web:1", name: "the \\"web\\"", host: localhost, group: g, tags: { team: "a\\\\b" }, probe: { type: http,
              url: "https://localhost:\(peers.tls.port)/", interval: 200ms, timeout: 200ms,
              tls: { ca_file: \(peers.certificate.folder.path)/own.pem } } }
          - { id: ping, address: 127.0.0.1, probe: { type: icmp, interval: 200ms, timeout: 200ms } }
          - { id: closed, address: 127.0.0.1, probe: { type: tcp, port: 1, interval: 200ms, timeout: 200ms, fall: 1 } }
          - { id: plain, address: 127.0.0.1 }
        probe_modules:
          - { name: http_2xx, probe: { type: http, tls: { ca_file: \(peers.certificate.folder.path)/own.pem } } }
          - { name: tcp, probe: { type: tcp } }
        """
    }

    /// Waits until every probe had a result.
    private func awaitResults(_ service: RunningService) throws -> String {
        for _ in 0..<200 {
            let text = try service.get("/metrics").text
            let results = text.split(separator: "\n").filter { $0.hasPrefix("reachd_probe_last_success{") }
            if results.count == 3 { return text }
            _ = poll(nil, 0, 50)
        }
        Issue.record("no results")
        return ""
    }

    /// A name server with one address for every name.
    private final class AnsweringResolver {
        let port: UInt16
        private let process: ChildProcess

        init() throws {
            let program = """
                import socket
                s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                s.bind(("127.0.0.1", 0))
                print(s.getsockname()[1], flush=True)
                while True:
                    q, a = s.recvfrom(512)
                    question = q[12:q.index(0, 12) + 5]
                    record = bytes([192, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1])
                    s.sendto(q[:2] + bytes([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]) + question + record, a)
                """
            process = try ChildProcess(["python3", "-c", program])
            port = process.readLine().flatMap { UInt16($0) } ?? 0
        }
    }

    // MARK: promtool

    private func check(_ text: String) throws -> (status: Int32, output: String) {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "metrics")
        let process = try ChildProcess(["sh", "-c", "promtool check metrics < \(file)"])
        let output = process.readAll()
        return (process.wait(), output)
    }

    @Test("promtool finds no fault in /metrics and /probe")
    func lint() throws {
        let peers = try Peers()
        let folder = try TemporaryFolder()
        // With everything that a service has by itself, and somebody to tell.
        let more = """

            history: { path: \(folder.path(of: "log.db")) }
            notify: [{ name: hook, webhook: { url: "http://127.0.0.1:1/" } }]
            """
        let service = try RunningService(
            Self.configuration(peers) + more,
            environment: ["REACHD_HISTORY_ENABLED": "true"]
        )
        let text = try awaitResults(service)
        for family in ["reachd_history_durable", "reachd_rollups_written", "reachd_notify_pending"] {
            #expect(text.contains("\n\(family)"), "\(family)")
        }
        for metrics in [
            text, try service.get("/probe?target=https://localhost:\(peers.tls.port)/").text,
            try service.get("/probe?module=tcp&target=127.0.0.1:1").text,
        ] {
            let result = try check(metrics)
            #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
        }
        // It would have something to say.
        #expect(try check("# TYPE a_total gauge\na_total 1\n").status != 0)
    }

    @Test("the strict reader of OpenMetrics reads it")
    func openMetrics() throws {
        let peers = try Peers()
        let service = try RunningService(Self.configuration(peers))
        _ = try awaitResults(service)
        let script =
            "import sys\nfrom prometheus_client.openmetrics.parser import text_string_to_metric_families as read\n"
            + "families = list(read(sys.stdin.read()))\nprint(len(families), len([s for f in families for s in f.samples]))\n"
        let folder = try TemporaryFolder()
        let program = try folder.write(script, to: "read.py")
        let accept = ["Accept": "application/openmetrics-text; version=1.0.0"]
        for path in ["/metrics", "/probe?target=https://localhost:\(peers.tls.port)/"] {
            let reply = try HTTPClient.get(path, port: service.port, headers: accept)
            #expect(reply["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8")
            let file = try folder.write(reply.text, to: "metrics")
            let output = try Command.run(["sh", "-c", "/usr/bin/python3 \(program) < \(file)"])
            let counts = output.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
            #expect(counts.count == 2 && counts.allSatisfy { $0 > 15 }, "\(path): \(output)")
        }
    }

    @Test("the alert rules are right, and fire when they should")
    func rules() throws {
        let output = try Command.run(["promtool", "check", "rules", "\(Self.root)/config/prometheus-rules.yaml"])
        #expect(output.contains("SUCCESS"))
        let tests = try Command.run(["promtool", "test", "rules", "\(Self.root)/config/prometheus-rules-test.yaml"])
        #expect(tests.contains("SUCCESS"))
        // Every alert has a test.
        let rules = try text("config/prometheus-rules.yaml")
        let unit = try text("config/prometheus-rules-test.yaml")
        let alerts = rules.split(separator: "\n").compactMap { line in
            line.contains("- alert: ") ? line.split(separator: " ").last.map(String.init) : nil
        }
        #expect(alerts.count == 26)
        for alert in alerts where !unit.contains("alertname: \(alert)") { Issue.record("no test of \(alert)") }
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try FileContents.read("\(Self.root)/\(path)", limit: 1 << 20), as: UTF8.self)
    }

    // MARK: A real Prometheus

    private func scrapes(_ service: RunningService, _ peers: Peers) -> String {
        """
          - job_name: reachd
            static_configs: [ { targets: [ "127.0.0.1:\(service.port)" ] } ]
          - job_name: blackbox
            metrics_path: /probe
            params: { module: [ http_2xx ] }
            static_configs: [ { targets: [ "https://localhost:\(peers.tls.port)/" ] } ]
            relabel_configs:
              - { source_labels: [ __address__ ], target_label: __param_target }
              - { source_labels: [ __param_target ], target_label: instance }
              - { target_label: __address__, replacement: "127.0.0.1:\(service.port)" }
        """
    }

    @Test(
        "a real Prometheus scrapes /metrics and /probe, and blackbox_exporter's queries have data",
        .enabled(if: EchoRequests.areAllowed, "\(EchoRequests.obstacle ?? "")"),
        .timeLimit(.minutes(15))
    )
    func queries() throws {
        let peers = try Peers()
        let service = try RunningService(Self.configuration(peers))
        let prometheus = try Prometheus(scrapes(service, peers))
        func expect(_ query: String, _ isWanted: ([Double]) -> Bool) throws {
            let result = try prometheus.query(query, until: isWanted)
            #expect(isWanted(result), "\(query): \(result)")
        }
        try expect("up") { $0 == [1, 1] }
        // The multi-target scrape, as its exporter's users write their queries.
        try expect(#"probe_success{job="blackbox"}"#) { $0 == [1] }
        try expect(#"(probe_ssl_earliest_cert_expiry{job="blackbox"} - time()) / 86400"#) {
            $0.count == 1 && (29...30).contains($0[0])
        }
        try expect(#"avg_over_time(probe_success{job="blackbox"}[1m]) * 100"#) { $0 == [100] }
        try expect(#"count_over_time(probe_success{job="blackbox"}[1m])"#) { $0.count == 1 && $0[0] >= 3 }
        try expect(#"sum by (instance) (probe_http_duration_seconds{job="blackbox"})"#) { $0.count == 1 && $0[0] > 0 }
        try expect(#"probe_http_status_code{job="blackbox"} == 200"#) { $0 == [200] }
        try expect(#"probe_http_ssl{job="blackbox"} and on (instance) probe_tls_version_info{version=~"TLS 1.[23]"}"#) {
            $0 == [1]
        }
        try expect(#"quantile_over_time(0.95, probe_duration_seconds{job="blackbox"}[1m])"#) {
            $0.count == 1 && $0[0] > 0
        }
        // The same of what is watched.
        try expect(#"sort(probe_success{job="reachd"})"#) { $0 == [0, 1, 1] }
        try expect(#"probe_icmp_duration_seconds{target="ping", phase="rtt"}"#) { $0.count == 1 && $0[0] > 0 }
        try expect(#"reachd_target_state{state="down"} == 1"#) { $0 == [1] }
        try expect(#"reachd_target_info{name="the \"web\"", tag_team="a\\b", target="web:1"}"#) { $0 == [1] }
        try expect(#"sum(reachd_targets)"#) { $0 == [4] }
        try expect(#"rate(reachd_probes_finished_total[1m])"#) { $0.count == 1 && $0[0] > 1 }
        try expect(#"histogram_quantile(0.5, rate(reachd_probe_duration_seconds_bucket{target="ping"}[1m]))"#) {
            $0.count == 1 && $0[0] > 0
        }
        try expect(#"reachd_probe_scrapes_total{result="success"}"#) { $0.count == 1 && $0[0] > 0 }
    }

    @Test("every query of the dashboard is one, and has data", .timeLimit(.minutes(15)))
    func dashboard() throws {
        let lines = try text("config/grafana-dashboard.json").split(separator: "\n")
        let queries = lines.compactMap { line -> String? in
            let line = line.drop { $0 == " " }
            guard line.hasPrefix("\"expr\": \"") else { return nil }
            let json = line.dropFirst("\"expr\": \"".count).dropLast(line.hasSuffix(",") ? 2 : 1)
            return String(json).replacing("\\\"", with: "\"")
        }
        #expect(queries.count == 35)
        let peers = try Peers()
        // The fleet's metrics do not need its database.
        let service = try RunningService(
            Self.configuration(peers) + "\nfleet: { database: 'postgresql:///reachd?host=/nowhere&user=reachd' }"
        )
        let prometheus = try Prometheus(scrapes(service, peers))
        for query in queries {
            let filled = query.replacing("$__rate_interval", with: "1m").replacing("$job", with: ".*")
                .replacing("$instance", with: ".*").replacing("$target", with: ".*")
            let result = try prometheus.query(filled) { !$0.isEmpty }
            #expect(!result.isEmpty, "\(query)")
        }
    }

    // MARK: blackbox_exporter beside it

    /// What it has that we do not tell, and the other way round, each with its reason.
    private static let differences: [(name: String, isOurs: Bool, reason: String)] = [
        (
            "probe_ssl_last_chain_expiry_timestamp_seconds", false,
            "theirs is the year 1 where no chain was verified; ours is not there"
        ),
        ("probe_ssl_earliest_cert_expiry", false, "theirs is 0 for gRPC without TLS; ours is not there"),
        ("probe_timeout_seconds", true, "their later versions have it"),
        ("probe_tls_cipher_info", true, "their later versions have it"),
        ("probe_failed_due_to_regex", true, "their gRPC prober has none; ours neither, only http and tcp"),
        ("probe_http_last_modified_timestamp_seconds", false, "only when the server says so, for both"),
    ]

    @Test(
        "reachd has the metrics of blackbox_exporter: the same modules and targets, side by side",
        .timeLimit(.minutes(15))
    )
    func sideBySide() throws {
        let peers = try Peers()
        let folder = peers.certificate.folder
        let names = try AnsweringResolver()
        let theirs = try folder.write(
            """
            modules:
              web: { prober: http, http: { preferred_ip_protocol: ip4, tls_config: { ca_file: \(folder.path)/own.pem } } }
              blind: { prober: http, http: { preferred_ip_protocol: ip4, tls_config: { insecure_skip_verify: true } } }
              tcp: { prober: tcp, tcp: { preferred_ip_protocol: ip4 } }
              tls: { prober: tcp, tcp: { preferred_ip_protocol: ip4, tls: true, tls_config: { ca_file: \(folder.path)/own.pem } } }
              icmp: { prober: icmp, icmp: { preferred_ip_protocol: ip4 } }
              dns: { prober: dns, dns: { query_name: example.org, query_type: A, preferred_ip_protocol: ip4 } }
              grpc: { prober: grpc, grpc: { preferred_ip_protocol: ip4 } }
            """,
            to: "blackbox.yml"
        )
        let ours = try Reachd.run(["import", theirs]).lines.filter {
            !$0.hasPrefix(theirs) && !$0.contains(" imported")
        }
        let service = try RunningService(ours.joined(separator: "\n"))
        let port = try FreePort.next()
        let exporter = try ChildProcess([
            "prometheus-blackbox-exporter", "--config.file=\(theirs)", "--web.listen-address=127.0.0.1:\(port)",
        ])
        while let line = exporter.readLine(), !line.contains("Listening on") {}
        let url = "https://localhost:\(peers.tls.port)/"
        let cases = [
            ("web", url), ("blind", url), ("web", "http://127.0.0.1:1/"),
            ("web", "127.0.0.1:1/a?b"), ("web", "127.0.0.1:\(service.port)/livez"),
            ("tcp", "127.0.0.1:\(peers.tls.port)"),
            ("tcp", "127.0.0.1:1"), ("tls", "localhost:\(peers.tls.port)"), ("icmp", "127.0.0.1"),
            ("dns", "127.0.0.1:\(names.port)"), ("grpc", "127.0.0.1:\(peers.tls.port)"),
        ]
        for (module, target) in cases {
            let path = "/probe?module=\(module)&target=\(target)"
            let mine = Self.samples(try service.get(path).text)
            let other = Self.samples(try HTTPClient.get(path, port: port).text)
            #expect(!mine.isEmpty && !other.isEmpty)
            for name in Set(other.keys).subtracting(mine.keys) {
                let isKnown = Self.differences.contains { $0.name == name && !$0.isOurs }
                #expect(isKnown, "\(module) \(target): \(name) is missing")
            }
            for name in Set(mine.keys).subtracting(other.keys) {
                let isKnown = Self.differences.contains { $0.name == name && $0.isOurs }
                #expect(isKnown, "\(module) \(target): \(name) is ours alone")
            }
            // What is no time is the same; the page itself tells of its client.
            for name in [
                "probe_success", "probe_ip_protocol", "probe_ip_addr_hash", "probe_http_status_code", "probe_http_ssl",
                "probe_http_redirects", "probe_http_content_length",
                "probe_ssl_earliest_cert_expiry", "probe_http_version", "probe_dns_answer_rrs",
                "probe_dns_query_succeeded",
                "probe_grpc_status_code", "probe_grpc_ssl", "probe_failed_due_to_regex", "probe_icmp_reply_hop_limit",
            ] {
                guard let left = mine[name], let right = other[name] else { continue }
                #expect(left.count == 1 && left == right, "\(module) \(target): \(name) \(left) and \(right)")
            }
        }
    }

    /// Values by name, without labels.
    private static func samples(_ text: String) -> [String: [Double]] {
        var samples: [String: [Double]] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let name = String(line.prefix { $0 != "{" && $0 != " " })
            samples[name, default: []].append(line.split(separator: " ").last.flatMap { Double($0) } ?? .nan)
        }
        return samples
    }
}
