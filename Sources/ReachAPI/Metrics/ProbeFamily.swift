// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import NetworkPaths
import Probing
import ServerTrust

/// A metric with blackbox_exporter's name and meaning, so that existing dashboards and alerts work unchanged.
struct ProbeFamily: Sendable {
    let family: MetricFamily
    let write: @Sendable (inout MetricsWriter, ProbeSample) -> Void

    private init(
        _ name: StaticString,
        kind: MetricFamily.Kind = .gauge,
        _ help: StaticString,
        _ write: @escaping @Sendable (inout MetricsWriter, ProbeSample) -> Void
    ) {
        family = MetricFamily(name, kind: kind, help)
        self.write = write
    }

    static let all = common + http + tls + icmp + dns + grpc + facts

    /// Writes all metrics of one result.
    static func write(_ sample: ProbeSample, to writer: inout MetricsWriter) {
        for probe in all {
            writer.begin(probe.family)
            probe.write(&writer, sample)
        }
    }

    private static let common: [ProbeFamily] = [
        ProbeFamily("probe_success", "Whether the probe succeeded, possibly degraded.") {
            $0.sample($1.labels, $1.isSuccess ? 1 : 0)
        },
        ProbeFamily("probe_duration_seconds", "Duration of the probe.") { $0.sample($1.labels, $1.result.duration) },
        ProbeFamily("probe_timeout_seconds", "Timeout of the probe.") {
            $0.sample($1.labels, $1.request.timeout)
        },
        ProbeFamily("probe_dns_lookup_time_seconds", "Duration of resolving the target's name.") {
            $0.open($1.labels)
            $0.close(nanoseconds: $1.phase(.resolve))
        },
        ProbeFamily("probe_ip_protocol", "IP version of the probe: 4 or 6.") {
            if let address = $1.result.address { $0.sample($1.labels, address.family == .ipv4 ? 4 : 6) }
        },
        ProbeFamily("probe_ip_addr_hash", "Hash of the probed address, which changes when the address does.") {
            if let address = $1.result.address { $0.sample($1.labels, ProbeSample.hash(address)) }
        },
        ProbeFamily("probe_failed_due_to_regex", "Whether the probe failed because of the content of the answer.") {
            if $1.isHTTP || $1.isStream { $0.sample($1.labels, $1.failedByText ? 1 : 0) }
        },
    ]

    private static let http: [ProbeFamily] = [
        ProbeFamily("probe_http_status_code", "HTTP status; 0 without a response.") {
            if $1.isHTTP { $0.sample($1.labels, $1.result.http?.status ?? 0) }
        },
        ProbeFamily("probe_http_version", "HTTP version; 0 without a response.") {
            guard $1.isHTTP else { return }
            $0.open($1.labels)
            $0.close($1.result.http.flatMap { Double($0.version) } ?? 0)
        },
        ProbeFamily("probe_http_content_length", "Content-Length of the response; -1 if absent.") {
            if $1.isHTTP { $0.sample($1.labels, $1.result.http.map { $0.contentLength ?? -1 } ?? 0) }
        },
        ProbeFamily("probe_http_uncompressed_body_length", "Bytes read of the body, after decompression.") {
            if $1.isHTTP { $0.sample($1.labels, $1.result.http?.bodySize ?? 0) }
        },
        ProbeFamily("probe_http_redirects", "Number of redirects that were followed.") {
            if $1.isHTTP { $0.sample($1.labels, $1.result.http?.redirects ?? 0) }
        },
        ProbeFamily("probe_http_ssl", "Whether the last server used TLS.") {
            if $1.isHTTP { $0.sample($1.labels, $1.usedTLS ? 1 : 0) }
        },
        ProbeFamily("probe_http_last_modified_timestamp_seconds", "Last-Modified of the response.") {
            if let time = $1.result.http?.lastModified { $0.sample($1.labels, time) }
        },
        ProbeFamily("probe_http_duration_seconds", "Duration of each phase, over all redirects.") {
            guard $1.isHTTP else { return }
            let phases: [(StaticString, ProbePhase)] = [
                ("resolve", .resolve), ("connect", .connect), ("tls", .tls), ("processing", .request),
                ("transfer", .transfer),
            ]
            for (name, phase) in phases {
                $0.open($1.labels)
                $0.label("phase", name)
                $0.close(nanoseconds: $1.phase(phase))
            }
        },
    ]

    private static let tls: [ProbeFamily] = [
        ProbeFamily("probe_ssl_earliest_cert_expiry", "When the first certificate sent by the server expires.") {
            if let time = $1.result.tls?.trust.expiry.earliestSent { $0.sample($1.labels, time) }
        },
        ProbeFamily(
            "probe_ssl_last_chain_expiry_timestamp_seconds",
            "When the first certificate of the verified chain expires; absent if none was verified."
        ) {
            if let time = $1.result.tls?.trust.expiry.verifiedChain { $0.sample($1.labels, time) }
        },
        ProbeFamily("probe_ssl_last_chain_info", "The server's certificate.") {
            guard let leaf = $1.result.tls?.chain.first else { return }
            $0.open($1.labels)
            $0.label("fingerprint_sha256", leaf.fingerprint)
            $0.label("subject", leaf.subject)
            $0.label("issuer", leaf.issuer)
            // A certificate may have a hundred names, which are too many for a label.
            $0.label("subjectalternative", leaf.names.prefix(16).joined(separator: ","))
            $0.label("serialnumber", leaf.serialNumber)
            $0.close(1)
        },
        ProbeFamily("probe_tls_version_info", "TLS version.") {
            guard let version = $1.result.tls?.version else { return }
            $0.open($1.labels)
            $0.label("version", version.hasPrefix("TLSv") ? "TLS \(version.dropFirst(4))" : version)
            $0.close(1)
        },
        ProbeFamily("probe_tls_cipher_info", "TLS cipher suite.") {
            guard let cipher = $1.result.tls?.cipher else { return }
            $0.open($1.labels)
            $0.label("cipher", cipher)
            $0.close(1)
        },
    ]

    private static let icmp: [ProbeFamily] = [
        ProbeFamily("probe_icmp_duration_seconds", "Duration of each phase; rtt is the average round trip.") {
            guard $1.isICMP else { return }
            let times: [(StaticString, UInt64)] = [
                ("resolve", $1.phase(.resolve)), ("setup", 0), ("rtt", $1.result.icmp?.average?.nanoseconds ?? 0),
            ]
            for (name, time) in times {
                $0.open($1.labels)
                $0.label("phase", name)
                $0.close(nanoseconds: time)
            }
        },
        ProbeFamily("probe_icmp_reply_hop_limit", "Hop limit (IPv4: time to live) of the last reply.") {
            if $1.isICMP, let limit = $1.result.icmp?.hopLimit { $0.sample($1.labels, Int(limit)) }
        },
    ]

    private static let dns: [ProbeFamily] = [
        ProbeFamily("probe_dns_duration_seconds", "Duration of each phase.") {
            guard $1.isDNS else { return }
            let phases: [(StaticString, ProbePhase)] = [
                ("resolve", .resolve), ("connect", .connect), ("request", .request),
            ]
            for (name, phase) in phases {
                $0.open($1.labels)
                $0.label("phase", name)
                $0.close(nanoseconds: $1.phase(phase))
            }
        },
        ProbeFamily("probe_dns_query_succeeded", "Whether the server answered.") {
            if $1.isDNS { $0.sample($1.labels, $1.result.dns == nil ? 0 : 1) }
        },
        ProbeFamily("probe_dns_answer_rrs", "Number of records in the answer section.") {
            if $1.isDNS { $0.sample($1.labels, $1.result.dns?.answers.count ?? 0) }
        },
        ProbeFamily("probe_dns_authority_rrs", "Number of records in the authority section.") {
            if $1.isDNS { $0.sample($1.labels, $1.result.dns?.authorityCount ?? 0) }
        },
        ProbeFamily("probe_dns_additional_rrs", "Number of records in the additional section.") {
            if $1.isDNS { $0.sample($1.labels, $1.result.dns?.additionalCount ?? 0) }
        },
        ProbeFamily("probe_dns_serial", "Serial number of the zone, if its SOA record was queried.") {
            if let serial = $1.serial { $0.sample($1.labels, serial) }
        },
    ]

    /// The facts of other kinds' answers, each under its own name.
    private static let facts: [ProbeFamily] = ProbeKind.all.flatMap(\.description.facts).compactMap { fact in
        guard let metric = fact.metric else { return nil }
        return ProbeFamily(metric.name, metric.help) { writer, sample in
            switch fact.value(sample.result.answers) {
            case .integer(let value)?: writer.sample(sample.labels, value)
            case .flag(let value)?: writer.sample(sample.labels, value ? 1 : 0)
            case .duration(let value)?: writer.sample(sample.labels, value)
            case .difference(let value)?:
                writer.open(sample.labels)
                writer.close(value / .seconds(1))
            case .text?, .texts?, nil: break
            }
        }
    }

    private static let grpc: [ProbeFamily] = [
        ProbeFamily("probe_grpc_duration_seconds", "Duration of each phase.") {
            guard $1.isGRPC else { return }
            let resolve = $1.phase(.resolve)
            let whole = $1.result.duration.nanoseconds
            for (name, time) in [("resolve", resolve), ("check", whole - min(resolve, whole))] {
                $0.open($1.labels)
                $0.label("phase", name)
                $0.close(nanoseconds: time)
            }
        },
        ProbeFamily("probe_grpc_ssl", "Whether TLS was used.") {
            if $1.isGRPC { $0.sample($1.labels, $1.usedTLS ? 1 : 0) }
        },
        ProbeFamily("probe_grpc_status_code", "Status code of the call, if known.") {
            if $1.isGRPC { $0.sample($1.labels, $1.grpcStatus) }
        },
        ProbeFamily(
            "probe_grpc_healthcheck_response",
            "Status reported by the health service: 1 for at most one of the samples."
        ) {
            guard $1.isGRPC else { return }
            for status in ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"] {
                $0.open($1.labels)
                $0.label("serving_status", status)
                // Without an answer there is no status, which differs from the status of that name.
                $0.close(status == $1.servingStatus && status != "UNKNOWN" ? 1 : 0)
            }
        },
    ]
}
