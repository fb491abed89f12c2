// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import Synchronization
import TestSupport
import Testing
import Traffic

import struct HTTPServer.HTTPHeader

@testable import Monitoring
@testable import Notifying
@testable import Probing
@testable import ReachAPI

@Suite("Metrics") struct MetricsTests {
    private static let openMetrics = [HTTPHeader("Accept", "application/openmetrics-text; version=1.0.0")]

    /// A service with a target of each sort, all that can be known of them, and all facts.
    private func full(_ count: Int = 0) throws -> Fixture {
        let fixture = Fixture(hasProbes: true, wiring: Self.wiring)
        // The others of the kind have one address, and so one path.
        var tcp = try TargetSettings.probed("tcp")
        tcp.request = PathRequest(.address(IPAddress(ipv4: 0xc633_6402)))
        var targets: [TargetSettings] = [
            .address("plain", "198.51.100.9", group: "g", tags: ["te-am": "a\\b\"c\nd", "te_am": "2", "ä": "ö"]),
            tcp, try .calling("call"), try .probedByName("named"),
        ]
        let url = try HTTPURL("https://example.org/")
        targets.append(try .probed("http", by: .http(HTTPProbeSettings(url: url))))
        targets.append(try .probed("dns", by: .dns(DNSProbeSettings(name: "example.org", type: .soa))))
        targets.append(try .probed("grpc", by: .grpc(GRPCProbeSettings(port: 1))))
        targets.append(try .probed("ping", by: .icmp(ICMPProbeSettings())))
        targets.append(try .probed("rejected"))
        targets.append(try .probed("time", by: .ntp(NTPProbeSettings())))
        targets += try (0..<count).map { try .probed("t\($0)") }
        fixture.registry.apply(targets: targets)
        for target in targets where target.id != "named" { fixture.emit(target.id, .up()) }
        fixture.tellNetwork(.up())
        for id in ["tcp", "http", "dns", "grpc", "call", "ping"] { fixture.record(id, .rich) }
        fixture.record("time", try .time(offset: -1_500))
        for _ in 0..<3 { fixture.record("rejected", .rejected) }
        fixture.registry.setAnchors(["tcp"], quorum: 1)
        return fixture
    }

    @Test("the router at fault is named with its role, type and code")
    func offender() throws {
        let samples = metrics(try full()).samples.filter { $0.name == "reachd_target_offender" }
        let labels = ["address": "203.0.113.2", "role": "router", "icmp_type": "3", "icmp_code": "0"]
        #expect(samples.map { $0.labels.filter { $0.key != "target" && $0.key != "group" } } == [labels])
        #expect(samples.first?.labels["target"] == "rejected")
    }

    private static let wiring = RequestHandler.ServiceDependencies(facts: {
        var facts = ServiceFacts()
        facts.server = HTTPServerStatistics()
        facts.paths = PathEngineStatistics()
        facts.process = ProcessStatistics.read()
        facts.history = HistoryStatus(state: .ok, since: Fixture.started)
        facts.history?.failures = 2
        facts.reload = ServiceFacts.Reload(isSuccessful: true, at: Fixture.started)
        return facts
    })

    private func metrics(_ fixture: Fixture, _ query: String = "") -> Exposition {
        Exposition(fixture.respond("/metrics" + query).bytes)
    }

    // MARK: The formats

    @Test("every sample occurs once, in a family with HELP and TYPE", arguments: MetricsFormat.allCases)
    func wellFormed(_ format: MetricsFormat) throws {
        let fixture = try full()
        var connections = TrafficSummary()
        connections.standing.succeed(at: 1)
        connections.medianRoundTrip = 250
        fixture.probes.state.withLock { $0.summaries["tcp"] = connections }
        let response = fixture.respond("/metrics", headers: format == .text ? [] : Self.openMetrics)
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == format.contentType)
        let exposition = Exposition(response.bytes, format)
        #expect(exposition.faults == [])
        #expect(exposition.samples.count > 300)
        // Families that a result of these kinds cannot have, and no others, are not there.
        let all = Set((TargetFamily.all.map(\.family) + ProbeFamily.all.map(\.family)).map { "\($0.name)" })
        let told = Set(
            exposition.names.map { name in
                all.filter { name == $0 || name.hasPrefix($0 + "_") }.max { $0.count < $1.count } ?? name
            }
        )
        #expect(all.subtracting(told) == ["probe_http_last_modified_timestamp_seconds", "probe_dns_serial"])
    }

    @Test("names follow the conventions")
    func names() {
        for family in TargetFamily.all.map(\.family) + ProbeFamily.all.map(\.family) {
            let name = "\(family.name)"
            #expect(
                !name.hasSuffix("_total") && !name.hasSuffix("_info")
                    || family.kind == .gauge && name.hasPrefix("probe_")
            )
            #expect(name.hasPrefix("reachd_") || name.hasPrefix("probe_"))
            #expect(
                !"\(family.help)".contains("\n") && !"\(family.help)".contains("\\") && "\(family.help)".hasSuffix(".")
            )
        }
        #expect(TargetFamily.durationBounds.count == ProbeCounters.bounds.count + 1)
        for (name, bound) in zip(TargetFamily.durationBounds, ProbeCounters.bounds) {
            #expect(Double("\(name)") == Double(bound) / 1e9)
        }
    }

    @Test(
        "OpenMetrics is sent if Accept names it with no lower quality",
        arguments: [
            (nil, false), ("*/*", false), ("text/plain", false), ("application/openmetrics-text", true),
            (
                "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                    + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true
            ),
            ("text/plain, application/openmetrics-text;q=0.5", false), ("application/openmetrics-text;q=0", false),
            ("application/openmetrics-text; version=2.0.0", false), ("APPLICATION/OpenMetrics-Text ; q=1.0", true),
            ("application/openmetrics-text;q=0.5,*/*", false), (";;,,q=", false),
            ("application/openmetrics-text;q=x", false),
        ] as [(String?, Bool)]
    )
    func negotiation(accept: String?, isOpen: Bool) {
        #expect(MetricsFormat(accept: accept) == (isOpen ? .openMetrics : .text))
    }

    @Test("every label value survives escaping")
    func escaping() {
        var random = SeededGenerator(seed: 11)
        let scalars: [Unicode.Scalar] = [
            "\"", "\\", "\n", "\r", "n", "{", "}", ",", "=", " ", "\u{0}", "ä", "\u{1F600}", "\u{85}",
        ]
        for _ in 0..<2_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                text.append(scalars.randomElement(using: &random) ?? "x")
            }
            let value = String(text)
            var writer = MetricsWriter(.text)
            writer.begin(MetricFamily("a", "A."))
            writer.open(MetricsWriter.labels { $0.label("target", value) })
            writer.label(named: "other", value)
            writer.close(1)
            let exposition = Exposition(writer.bytes)
            #expect(exposition.faults == [])
            let labels = exposition.samples.first?.labels
            // Compared by their bytes: characters that look the same are not.
            #expect(labels.map { Array(($0["target"] ?? "").utf8) } == Array(value.utf8))
            #expect(labels.map { Array(($0["other"] ?? "").utf8) } == Array(value.utf8))
        }
    }

    @Test("numbers")
    func numbers() {
        var writer = MetricsWriter(.text)
        func written(_ body: (inout MetricsWriter) -> Void) -> String {
            body(&writer)
            return String(decoding: writer.take(), as: UTF8.self)
        }
        #expect(written { $0.close(0) } == " 0\n")
        #expect(written { $0.close(-1) } == " -1\n")
        #expect(written { $0.close(UInt64.max) } == " 18446744073709551615\n")
        #expect(written { $0.close(nanoseconds: 1) } == " 0.000000001\n")
        #expect(written { $0.close(nanoseconds: 1_500_000_000) } == " 1.5\n")
        #expect(written { $0.close(nanoseconds: 10_000_000_000) } == " 10\n")
        #expect(written { $0.close(milliseconds: -1) } == " -0.001\n")
        #expect(written { $0.close(Double.infinity) } == " +Inf\n")
        #expect(written { $0.close(Double.nan) } == " NaN\n")
        #expect(written { $0.close(1e-7) } == " 1e-07\n")
    }

    @Test("tags whose names map to the same label stay distinct")
    func tags() {
        let labels = TagLabels.labels(of: ["a-b": "1", "a_b": "2", "a.b": "3", "a-b_2": "4", "ü": "5"])
        #expect(Set(labels.map(\.name)).count == 5)
        #expect(labels.allSatisfy { $0.name.hasPrefix("tag_") && $0.name.utf8.allSatisfy { $0 < 0x80 } })
        #expect(
            labels.map(\.value)
                == TagLabels.labels(of: ["ü": "5", "a-b_2": "4", "a.b": "3", "a_b": "2", "a-b": "1"]).map(\.value)
        )
    }

    // MARK: What is told

    @Test("a target is in exactly one state, and transitions to each are counted")
    func states() throws {
        let fixture = try full()
        var before = metrics(fixture)
        for id in ["plain", "tcp", "call", "named", "http"] {
            #expect(before.values("reachd_target_state", ["target": id]).filter { $0 == "1" }.count == 1)
        }
        #expect(before.value("reachd_target_state", ["target": "plain", "state": "up"]) == "1")
        #expect(before.value("reachd_target_transitions_total", ["target": "plain", "to": "up"]) == "1")
        #expect(before.value("reachd_targets", ["state": "unknown"]) == "1")
        let all = before.value("reachd_transitions_total", ["to": "up"]).flatMap(Int.init)
        fixture.emit("plain", .down())
        fixture.emit("plain", .up())
        before = metrics(fixture)
        #expect(before.value("reachd_target_transitions_total", ["target": "plain", "to": "up"]) == "2")
        #expect(before.value("reachd_target_transitions_total", ["target": "plain", "to": "unreachable"]) == "1")
        #expect(before.value("reachd_transitions_total", ["to": "up"]).flatMap(Int.init) == all.map { $0 + 1 })
        // Other settings are no new beginning.
        fixture.registry.apply(targets: [.address("plain", "198.51.100.9", group: "h")])
        #expect(metrics(fixture).value("reachd_target_transitions_total", ["target": "plain", "to": "up"]) == "2")
        fixture.registry.apply(targets: [])
        #expect(
            metrics(fixture).value("reachd_transitions_total", ["to": "up"]).flatMap(Int.init) == all.map { $0 + 1 }
        )
    }

    @Test("result buckets are cumulative and survive changed thresholds")
    func histogram() throws {
        let fixture = try full()
        func result(_ milliseconds: Int, _ outcome: ProbeOutcome) -> ProbeResult {
            ProbeResult(
                outcome: outcome,
                reason: outcome == .success ? nil : .timeout,
                detail: "",
                duration: .milliseconds(milliseconds)
            )
        }
        for (time, outcome) in [(1, ProbeOutcome.success), (4, .success), (700, .degraded), (60_000, .failure)] {
            fixture.record("tcp", result(time, outcome))
        }
        func expectCounts(_ exposition: Exposition) {
            func bucket(_ bound: String) -> String? {
                exposition.value("reachd_probe_duration_seconds_bucket", ["target": "tcp", "le": bound])
            }
            // With the one of 3 ms that the fixture brings.
            #expect(bucket("0.001") == "1" && bucket("0.005") == "3" && bucket("0.5") == "3" && bucket("1.0") == "4")
            #expect(bucket("10.0") == "4" && bucket("+Inf") == "5")
            #expect(exposition.value("reachd_probe_duration_seconds_count", ["target": "tcp"]) == "5")
            #expect(exposition.value("reachd_probe_duration_seconds_sum", ["target": "tcp"]) == "60.708")
            #expect(exposition.value("reachd_probe_results_total", ["target": "tcp", "outcome": "degraded"]) == "2")
            #expect(exposition.value("reachd_probe_results_total", ["target": "tcp", "outcome": "failure"]) == "1")
        }
        expectCounts(metrics(fixture))
        var changed = try TargetSettings.probed("tcp")
        changed.probe?.verdict = try VerdictSettings(fall: 5, rise: 5, interval: .seconds(10))
        fixture.registry.apply(targets: [changed])
        expectCounts(metrics(fixture))
        // Another question is another beginning of the verdict, and none of the counters.
        fixture.registry.apply(targets: [try .probed("tcp", by: .tcp(TCPProbeSettings(port: 2)))])
        #expect(metrics(fixture).value("reachd_probe_duration_seconds_count", ["target": "tcp"]) == "5")
    }

    @Test("the last result, its certificate and its path")
    func lastResult() throws {
        let exposition = metrics(try full())
        #expect(exposition.value("reachd_probe_last_duration_seconds", ["target": "http"]) == "0.003")
        #expect(exposition.value("reachd_probe_last_phase_seconds", ["target": "http", "phase": "tls"]) == "0.000007")
        #expect(
            exposition.value(
                "reachd_certificate_expiry_timestamp_seconds",
                ["target": "http", "certificate": "verified_chain"]
            )
                == "1850000000"
        )
        #expect(exposition.value("reachd_certificate_trusted", ["target": "http"]) == "0")
        #expect(
            exposition.value(
                "reachd_target_path_info",
                ["target": "plain", "interface": "eth0", "gateway": "192.0.2.1"]
            ) == "1"
        )
        let info = exposition.samples.first { $0.name == "reachd_target_info" && $0.labels["target"] == "plain" }?
            .labels
        #expect(info?["tag_te_am"] == "a\\b\"c\nd" && info?["tag_te_am_2"] == "2" && info?["group"] == "g")
        #expect(exposition.value("reachd_history_errors_total") == "2")
        #expect(exposition.value("process_start_time_seconds").flatMap(Double.init).map { $0 > 1.7e9 } == true)
        #expect(exposition.value("process_open_fds").flatMap(Int.init).map { $0 > 3 && $0 < 100_000 } == true)
        #expect(exposition.value("process_resident_memory_bytes").flatMap(Int.init).map { $0 > 1 << 20 } == true)
    }

    @Test("probed targets have blackbox_exporter's metrics with a target label")
    func blackbox() throws {
        let exposition = metrics(try full())
        let told = Set(exposition.samples.filter { $0.name == "probe_success" }.compactMap { $0.labels["target"] })
        #expect(told == ["tcp", "http", "dns", "grpc", "ping", "time", "rejected"])
        #expect(exposition.value("probe_ntp_offset_seconds", ["target": "time"]) == "-1.5")
        #expect(exposition.value("probe_ntp_stratum", ["target": "time"]) == "2")
        #expect(exposition.value("probe_http_status_code", ["target": "http"]) == "503")
        #expect(
            exposition.value("probe_http_duration_seconds", ["target": "http", "phase": "processing"]) == "0.000007"
        )
        #expect(exposition.value("probe_ssl_earliest_cert_expiry", ["target": "http"]) == "1800000000")
        #expect(exposition.value("probe_tls_version_info", ["target": "http", "version": "TLS 1.3"]) == "1")
        #expect(exposition.value("probe_dns_answer_rrs", ["target": "dns"]) == "1")
        #expect(exposition.value("probe_icmp_reply_hop_limit", ["target": "ping"]) == "57")
        #expect(exposition.samples.count { $0.name == "probe_icmp_reply_hop_limit" } == 1)
        #expect(
            exposition.value("probe_grpc_healthcheck_response", ["target": "grpc", "serving_status": "SERVING"]) == "1"
        )
        #expect(exposition.samples.filter { $0.name.hasPrefix("probe_") }.allSatisfy { $0.labels["target"] != nil })
        // As blackbox_exporter has them for these addresses.
        #expect(ProbeSample.hash(IPAddress(ipv4: 0x7f00_0001)) == 3_668_918_509)
        #expect(ProbeSample.hash(IPAddress(ipv4: 0x7f00_0035)) == 2_796_482_321)
    }

    @Test("a target that cannot be probed now exports no old success")
    func resting() throws {
        let fixture = try full()
        #expect(metrics(fixture).value("probe_success", ["target": "tcp"]) == "1")
        fixture.emit("tcp", .down())
        #expect(metrics(fixture).value("probe_success", ["target": "tcp"]) == "0")
        #expect(metrics(fixture).value("reachd_probe_last_success", ["target": "tcp"]) == "1")
        fixture.registry.setPaused(true, target: "tcp")
        #expect(metrics(fixture).value("probe_success", ["target": "tcp"]) == nil)
    }

    @Test("collect selects the parts")
    func parts() throws {
        let fixture = try full()
        let service = metrics(fixture, "?collect=service").names
        #expect(
            service.contains("reachd_build_info")
                && !service.contains { $0.hasPrefix("reachd_target_") || $0.hasPrefix("probe_") }
        )
        let targets = metrics(fixture, "?collect=targets").names
        #expect(
            !targets.contains("reachd_build_info") && targets.contains("reachd_target_state")
                && !targets.contains("probe_success")
        )
        let two = metrics(fixture, "?collect=blackbox,service")
        #expect(two.faults == [] && two.names.contains("probe_success") && !two.names.contains("reachd_target_state"))
        #expect(fixture.respond("/metrics?collect=all").status == 400)
    }

    @Test("each receiver of notifications has metrics under its name", arguments: MetricsFormat.allCases)
    func receivers(_ format: MetricsFormat) {
        var chat = NotificationStatus(name: "ch\"at", type: "webhook")
        chat.state = .failing
        chat.pending = 3
        chat.delivered = 4
        chat.givenUp = 5
        chat.missed = 7
        chat.lastSuccess = Fixture.started
        var writer = MetricsWriter(format)
        ReceiverMetrics.write([chat, NotificationStatus(name: "new", type: "alertmanager")], &writer)
        writer.end()
        let exposition = Exposition(writer.bytes, format)
        #expect(exposition.faults == [])
        let label = ["receiver": "ch\"at", "type": "webhook"]
        #expect(exposition.value("reachd_notify_state", label.merging(["state": "failing"]) { $1 }) == "1")
        #expect(exposition.value("reachd_notify_state", label.merging(["state": "ok"]) { $1 }) == "0")
        #expect(exposition.value("reachd_notify_pending", label) == "3")
        #expect(exposition.value("reachd_notify_deliveries_total", label) == "4")
        #expect(exposition.value("reachd_notify_given_up_messages_total", label) == "5")
        #expect(exposition.value("reachd_notify_missed_events_total", label) == "7")
        let success = exposition.samples.filter { $0.name == "reachd_notify_last_success_timestamp_seconds" }
        #expect(success.map(\.labels["receiver"]) == ["ch\"at"])
        #expect(exposition.value("reachd_notify_state", ["receiver": "new", "state": "ok"]) == "1")
    }

    // MARK: Many targets

    /// The body of an answer that is made while it is sent, without its head.
    private func drain(_ response: HTTPResponse) throws -> (head: String, body: [UInt8]) {
        guard case .stream(let source) = response.body else {
            Issue.record("no stream")
            return ("", [])
        }
        #expect(source.isWholeResponse)
        var bytes: [UInt8] = []
        var largest = 0
        while true {
            switch source.next() {
            case .idle: Issue.record("it waits")
            case .bytes(let piece):
                largest = max(largest, piece.count)
                bytes += piece
                continue
            case .end(let piece): bytes += piece
            }
            break
        }
        source.didEnd()
        #expect(largest < 64 << 10)
        let end = try #require(bytes.indices.first { bytes[$0...].starts(with: "\r\n\r\n".utf8) })
        return (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes[(end + 4)...]))
    }

    @Test("a large response is streamed in chunks with the same content", arguments: MetricsFormat.allCases)
    func many(_ format: MetricsFormat) throws {
        let fixture = try full(150)
        let fields = format == .text ? [] : Self.openMetrics
        let answer = try drain(fixture.respond("/api/v1/metrics", headers: fields))
        #expect(
            answer.head.hasPrefix("HTTP/1.1 200 OK\r\n")
                && answer.head.contains("\r\nContent-Type: \(format.contentType)")
        )
        #expect(!answer.head.contains("Content-Encoding"))
        let exposition = Exposition(answer.body, format)
        #expect(exposition.faults == [])
        #expect(exposition.values("reachd_target_state").count == 160 * TargetState.allCases.count)
        let whole = MetricsRendering(fixture.registry, parts: [.targets, .blackbox], format: format, service: nil)
            .whole()
        #expect(answer.body.count > whole.count && answer.body.suffix(whole.count) == whole[...])
        let compressed = try drain(
            fixture.respond(
                "/metrics?collect=targets,blackbox",
                headers: fields + [HTTPHeader("Accept-Encoding", "gzip")]
            )
        )
        #expect(compressed.head.contains("\r\nContent-Encoding: gzip"))
        #expect(compressed.body.count * 5 < whole.count)
        #expect(try unzipped(compressed.body) == whole)
    }

    @Test("concurrent large responses are limited")
    func bounded() throws {
        let fixture = try full(100)
        let open = (0..<RequestHandler.metricsLimit).map { _ in fixture.respond("/metrics") }
        let refused = fixture.respond("/metrics")
        #expect(refused.status == 503 && refused.header("Retry-After") == "5")
        #expect(fixture.respond("/metrics?collect=service").status == 200)
        // One whose client goes away gives its place back.
        guard case .stream(let source) = open[0].body else { return }
        source.didEnd()
        #expect(fixture.respond("/metrics").status == 200)
    }

    // MARK: The route

    @Test("HEAD, OPTIONS, compression, no validator, and the scope read")
    func route() throws {
        let fixture = try full()
        let head = fixture.respond("/metrics", method: "HEAD")
        #expect(
            head.status == 200 && head.bytes.isEmpty && head.header("Content-Type") == MetricsFormat.text.contentType
        )
        #expect(fixture.respond("/metrics", method: "OPTIONS").header("Allow") == "GET, HEAD, OPTIONS")
        #expect(fixture.respond("/metrics", method: "POST").status == 405)
        let packed = fixture.respond("/metrics", headers: [HTTPHeader("Accept-Encoding", "gzip")])
        #expect(packed.header("Content-Encoding") == "gzip" && packed.header("ETag") == nil)
        #expect(packed.header("Cache-Control") == "no-store" && packed.header("Vary") == "Accept, Accept-Encoding")
        fixture.handler.apply(
            AccessRules(tokens: [AccessToken(name: "a", digest: [UInt8](repeating: 1, count: 32), scopes: [.read])])
        )
        #expect(fixture.respond("/metrics").status == 401)
        #expect(fixture.respond("/probe?target=a").status == 401)
    }
}
