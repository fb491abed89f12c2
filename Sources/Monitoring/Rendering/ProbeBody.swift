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
            if !hidesAddress, request.kind.description.port != .url, let port = request.kind.port {
                member("port", port)
            }
            member("timeout_seconds", request.timeout)
        case .heartbeat(let grace): member("grace_seconds", grace)
        case .traffic(let traffic):
            if !hidesAddress { member("port", Int(traffic.port)) }
            member("max_age_seconds", traffic.maximumAge)
        }
        member("fall", plan.fall)
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
            if !hidesAddress { member("url", HTTPURL.withoutQuery(settings.url.description)) }
            member("method", settings.method)
        case .grpc(let settings) where !settings.service.isEmpty: member("service", settings.service)
        default: break
        }
        if request.expectsFailure { member("reachable", false) }
        if let bound = request.latencyBound { member("max_latency_seconds", bound) }
    }

    /// What the probe's results came to, without the last one.
    package mutating func evaluation(_ evaluation: TargetEvaluation, fields: FieldSelection, detail: ResultDetail) {
        doubts(evaluation, fields: fields)
        if detail == .full {
            member("decision") {
                $0.member("basis", evaluation.basis.rawValue)
                if let diagnosis = evaluation.diagnosis { $0.member("rule", diagnosis.rule.rawValue) }
                if let parent = evaluation.parent { $0.member("parent", parent) }
            }
        }
    }

    /// What results change without changing the state.
    package mutating func doubts(_ evaluation: TargetEvaluation, fields: FieldSelection) {
        if let pending = evaluation.pending, fields.contains(.pending) {
            member("pending") {
                $0.member("toward", pending.toward.rawValue)
                $0.member("count", pending.count)
                $0.member("of", pending.of)
            }
        }
        if evaluation.isFlapping, fields.contains(.isFlapping) { member("is_flapping", true) }
    }

    package mutating func resultMembers(_ report: ProbeReport, detail: ResultDetail) {
        let result = report.result
        member("at", report.at)
        member("success", result.outcome != .failure)
        member("outcome", result.outcome.rawValue)
        if let diagnosis = report.diagnosis {
            member("reason") {
                $0.member("code", diagnosis.reason.rawValue)
                $0.member("detail", diagnosis.detail)
                $0.offenderMember(diagnosis.offender)
            }
            member("cause", diagnosis.cause.rawValue)
        }
        // What explains it may be known from other packets.
        if report.diagnosis?.detail != result.detail { member("detail", result.detail) }
        if !report.isPassive { member("duration_seconds", result.duration) }
        if report.lag > .milliseconds(1) { member("lag_seconds", report.lag) }
        if !result.phases.isEmpty { phases(result.phases) }
        if let address = result.address { member("address", address.description) }
        if result.addresses.count > 1 {
            key("addresses")
            array(result.addresses) { writer, address in writer.object { $0.addressMembers(address) } }
        }
        for answer in result.answers.all { facts(answer) }
        if let tls = result.tls { member("tls") { $0.tlsMembers(tls, detail: detail) } }
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

    private mutating func phases(_ phases: PhaseTimes) {
        member("phases") { writer in
            for phase in ProbePhase.allCases {
                if let time = phases[phase] { writer.member(named: phase.rawValue, time) }
            }
        }
    }

    private mutating func facts(_ answer: some ProbeAnswer) {
        member(type(of: answer).kind) { writer in
            answer.forEachFact { writer.member($0, $1) }
        }
    }

    private mutating func member(_ name: StaticString, _ value: FactValue) {
        switch value {
        case .integer(let value): member(name, value)
        case .difference(let value): member(name, difference: value)
        case .duration(let value): member(name, value)
        case .flag(let value): member(name, value)
        case .text(let value): member(name, value)
        case .texts(let values):
            key(name)
            array(values) { $0.string($1) }
        }
    }
}
