// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import JSON
import NetworkPaths
import Probing

/// How much of a probe's result is written.
package enum ResultDetail: Sendable {
    /// What a list of many targets has room for: of the certificates only the server's own.
    case brief
    /// Everything.
    case full
}

/// What is said of a target's probe.
extension JSONWriter {
    /// The probe's settings.
    ///
    /// - Parameter hidesAddress: whether to leave out what says where the target is.
    package mutating func probeMembers(_ plan: ProbePlan, hidesAddress: Bool = false) {
        member("type", plan.type)
        let verdict = plan.verdict
        member("interval_seconds", verdict.interval)
        switch plan.method {
        case .ask(let request):
            if !hidesAddress, let port = request.kind.port { member("port", port) }
            member("timeout_seconds", request.timeout)
        case .heartbeat(let grace): member("grace_seconds", grace)
        }
        member("fall", verdict.fall)
        member("rise", verdict.rise)
        member("confirm_interval_seconds", verdict.confirmInterval)
        if case .ask(let request) = plan.method { requestMembers(request, hidesAddress: hidesAddress) }
    }

    private mutating func requestMembers(_ request: ProbeRequest, hidesAddress: Bool) {
        if request.family != .any { member("family", request.family.rawValue) }
        if request.addresses != .first { member("addresses", request.addresses.rawValue) }
        if let source = request.source { member("source_address", source.description) }
        if let interface = request.interface { member("interface", interface) }
        switch request.kind {
        case .http(let settings):
            if !hidesAddress { member("url", Self.withoutQuery(settings.url.description)) }
            member("method", settings.method)
        case .grpc(let settings) where !settings.service.isEmpty: member("service", settings.service)
        default: break
        }
        if request.expectsFailure { member("reachable", false) }
        if let bound = request.latencyBound { member("max_latency_seconds", bound) }
    }

    /// What the probe's results came to.
    package mutating func judgement(_ judgement: Judgement, fields: FieldSelection, detail: ResultDetail) {
        doubts(judgement, fields: fields)
        if detail == .full {
            member("decision") {
                $0.member("basis", judgement.basis.rawValue)
                if let finding = judgement.finding { $0.member("rule", finding.rule.rawValue) }
                if let parent = judgement.parent { $0.member("parent", parent) }
            }
        }
        if let report = judgement.lastReport, fields.contains(.lastResult) {
            member("last_result") { $0.resultMembers(report, detail: detail) }
        }
    }

    /// What results change without changing the state.
    package mutating func doubts(_ judgement: Judgement, fields: FieldSelection) {
        if let pending = judgement.pending, fields.contains(.pending) {
            member("pending") {
                $0.member("toward", pending.toward.rawValue)
                $0.member("count", pending.count)
                $0.member("of", pending.of)
            }
        }
        if judgement.isFlapping, fields.contains(.isFlapping) { member("is_flapping", true) }
    }

    package mutating func resultMembers(_ report: ProbeReport, detail: ResultDetail) {
        let result = report.result
        member("at", report.at)
        member("success", result.outcome != .failure)
        member("outcome", result.outcome.rawValue)
        if let finding = report.finding {
            member("reason") {
                $0.member("code", finding.reason.rawValue)
                $0.member("detail", finding.detail)
            }
            member("cause", finding.cause.rawValue)
        } else {
            member("detail", result.detail)
        }
        if !report.isHeartbeat { member("duration_seconds", result.duration) }
        if report.lag > .milliseconds(1) { member("lag_seconds", report.lag) }
        if !result.phases.isEmpty { phases(result.phases) }
        if let address = result.address { member("address", address.description) }
        if result.addresses.count > 1 {
            key("addresses")
            array(result.addresses) { writer, address in writer.object { $0.addressMembers(address) } }
        }
        if let icmp = result.icmp { member("icmp") { $0.icmpMembers(icmp) } }
        if let http = result.http { member("http") { $0.httpMembers(http) } }
        if let tls = result.tls { member("tls") { $0.tlsMembers(tls, detail: detail) } }
        if let dns = result.dns { member("dns") { $0.dnsMembers(dns) } }
    }

    private mutating func addressMembers(_ result: AddressResult) {
        member("address", result.address.description)
        member("outcome", result.outcome.rawValue)
        if let reason = result.reason {
            member("reason") {
                $0.member("code", reason.rawValue)
                $0.member("detail", result.detail)
            }
        }
        member("duration_seconds", result.duration)
    }

    private mutating func phases(_ phases: [ProbePhase: Duration]) {
        member("phases") { writer in
            for phase in ProbePhase.allCases {
                if let time = phases[phase] { writer.member(named: phase.rawValue, time) }
            }
        }
    }

    private mutating func icmpMembers(_ icmp: ICMPStatistics) {
        member("sent", icmp.sent)
        member("received", icmp.received)
        if let minimum = icmp.minimum { member("min_seconds", minimum) }
        if let average = icmp.average { member("avg_seconds", average) }
        if let maximum = icmp.maximum { member("max_seconds", maximum) }
        if let jitter = icmp.jitter { member("jitter_seconds", jitter) }
        if let limit = icmp.hopLimit { member("hop_limit", Int(limit)) }
    }

    private mutating func httpMembers(_ http: HTTPAnswer) {
        member("status", http.status)
        member("version", http.version)
        if let type = http.contentType { member("content_type", type) }
        member("body_bytes", http.bodySize)
        if !http.isBodyComplete { member("is_body_complete", false) }
        if http.redirects > 0 { member("redirects", http.redirects) }
        if !http.url.isEmpty { member("url", Self.withoutQuery(http.url)) }
    }

    /// A URL as everybody may see it: tokens stand in queries.
    private static func withoutQuery(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }

    private mutating func dnsMembers(_ dns: DNSAnswer) {
        member("rcode", dns.code.description)
        key("answers")
        array(dns.answers.prefix(16)) { writer, record in
            // A record can be as long as a message, and the server that sent it may be anybody.
            writer.string(String("\(record.name) \(record.type) \(record.data)".unicodeScalars.prefix(512)))
        }
        if let timeToLive = dns.timeToLive { member("ttl_seconds", timeToLive) }
    }
}

extension ProbeKind {
    /// The port that is asked; nil for kinds that have none, or not one alone.
    fileprivate var port: UInt16? {
        switch self {
        case .tcp(let settings): settings.port
        case .udp(let settings): settings.port
        case .dns(let settings): settings.port
        case .tls(let settings): settings.port
        case .grpc(let settings): settings.port
        default: nil
        }
    }
}
