// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import HTTPServer
import JSON
import LinuxIO
import Monitoring
import Probing

/// Probes on request, and heartbeats.
extension RequestHandler {
    func setPaused(_ paused: Bool, _ raw: String, _ request: HTTPRequest) -> HTTPResponse {
        change(raw, request) { id in
            let record = registry.target(id)
            // What is not this node's own may be the fleet's, also when another node watches it.
            if let fleetView, record?.target.map({ $0.settings.origin == .fleet }) ?? true {
                return setPaused(paused, fleetTarget: id, request, fleetView)
            }
            guard let record = registry.setPaused(paused, target: id) else {
                return Problem.unknownTarget(id).response
            }
            return Self.answer(record)
        }
    }

    private func setPaused(
        _ paused: Bool,
        fleetTarget id: String,
        _ request: HTTPRequest,
        _ fleet: FleetView
    ) -> HTTPResponse {
        guard TargetID.isValid(id) else { return Problem.unknownTarget(id).response }
        return ask(fleet, request) { answer in
            fleet.reader.ask(FleetPause.question(paused, target: id)) { result in
                guard case .success(let outcome) = result, outcome != .unknownTarget else {
                    return answer(result.map { _ in Problem.unknownTarget(id).response })
                }
                fleet.reader.target(id) { result in
                    answer(
                        result.map { target in
                            guard let target else { return Problem.unknownTarget(id).response }
                            var writer = JSONWriter()
                            writer.fleetTarget(target)
                            return HTTPResponse(status: 200, headers: Self.fresh, body: .bytes(writer.bytes))
                        }
                    )
                }
            }
        }
    }

    /// How many probes on request one client can wait for at a time.
    static let probesPerClient = 32

    func probe(_ raw: String, _ request: HTTPRequest, _ client: ClientIdentity) -> HTTPResponse {
        change(raw, request) { id in
            guard let settings = registry.target(id)?.target?.settings else {
                return Problem.unknownTarget(id).response
            }
            guard let probes, case .ask? = settings.probe?.method else {
                return Problem.withoutProbe(settings).response
            }
            guard let slot = probeRequests.take(client) else { return Self.tooManyProbes }
            return respond(to: request) { [registry] answer in
                probes.probe(id) { report in
                    slot.release()
                    guard let record = registry.target(id) else { return answer(Problem.unknownTarget(id).response) }
                    answer(report == nil ? Self.cancelled("probe") : Self.answer(record))
                }
            }
        }
    }

    /// The response to a client that waits for too many probes and traces.
    static let tooManyProbes = Problem(
        kind: .tooManyWrites,
        detail: "This client is already waiting for \(probesPerClient) probes or traces.",
        headers: soon
    ).response

    /// The response when a probe or a trace was cancelled.
    static func cancelled(_ what: String) -> HTTPResponse {
        let detail =
            "The \(what) was cancelled: the target was changed, the machine was suspended, or the service is stopping."
        return Problem(kind: .overloaded, detail: detail, headers: soon).response
    }

    static let soon = [HTTPHeader("Retry-After", "1")]

    func heartbeat(
        _ raw: String,
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        _ client: ClientIdentity
    ) -> HTTPResponse {
        let heartbeat = Heartbeat(&reader)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        return change(raw, request) { id in
            guard let settings = registry.target(id)?.target?.settings else {
                return (gate.spend(.refusal, by: client) ?? Problem.unknownTarget(id)).response
            }
            guard probes != nil, case .heartbeat? = settings.probe?.method else {
                let problem = Problem(kind: .noProbe, detail: "The probe of the target is not of the type push.")
                return (gate.spend(.refusal, by: client) ?? problem).response
            }
            if let problem = gate.spend(.heartbeat(target: id), by: client) { return problem.response }
            return respond(to: request) { answer in
                if !evaluate(heartbeat, of: id, answer) { answer(Self.lost(id, isKnown: registry.target(id) != nil)) }
            }
        }
    }

    /// Evaluates a heartbeat, and responds afterwards, so that a later read of the target, or the end of the service, includes it.
    ///
    /// - Returns: False if this node does not take heartbeats of the target; then nothing is responded.
    func evaluate(_ heartbeat: Heartbeat, of id: String, _ answer: @escaping @Sendable (HTTPResponse) -> Void) -> Bool {
        guard let probes, case .heartbeat? = registry.target(id)?.target?.settings.probe?.method else { return false }
        let result = ProbeResult.heartbeat(isFailure: heartbeat.isFailure, detail: heartbeat.detail)
        probes.heartbeat(id, result) { [registry] report in
            answer(report != nil ? Self.taken : Self.lost(id, isKnown: registry.target(id) != nil))
        }
        return true
    }

    static let taken = HTTPResponse(status: 204, headers: [HTTPHeader("Cache-Control", "no-store")])

    /// The answer to a heartbeat that was not evaluated.
    private static func lost(_ id: String, isKnown: Bool) -> HTTPResponse {
        guard isKnown else { return Problem.unknownTarget(id).response }
        let detail = "The heartbeat was ignored: the service is stopping, or the target was changed meanwhile."
        return Problem(kind: .overloaded, detail: detail, headers: soon).response
    }

    static let fresh = [
        HTTPHeader("Content-Type", "application/json"), HTTPHeader("Cache-Control", "no-store"), .noSniffing,
    ]

    private static func answer(_ record: StatusRecord) -> HTTPResponse {
        HTTPResponse(status: 200, headers: fresh, body: .bytes(body(record)))
    }

    static func body(_ record: StatusRecord) -> [UInt8] {
        var writer = JSONWriter()
        writer.target(record, detail: .full)
        return NextStep.advised(writer.bytes, record.state)
    }

    /// Responds for a target by its percent-encoded id.
    func change(
        _ raw: String,
        _ request: HTTPRequest,
        _ body: (String) -> HTTPResponse
    ) -> HTTPResponse {
        guard let id = PercentDecoding.decode(raw[...].utf8, plusIsSpace: false) else {
            return Problem(kind: .badEncoding).response
        }
        return body(id)
    }
}

/// What a target reports with its heartbeat.
struct Heartbeat: Sendable {
    let isFailure: Bool
    /// Its words; nil for none.
    let detail: String?

    init(_ reader: inout QueryReader) {
        isFailure = reader.cases("status", as: HeartbeatStatus.self).first == .fail
        detail = reader.one("detail").flatMap(Self.line)
    }

    /// In Unicode scalars: a single character can be as long as a request.
    private static let longestDetail = 200

    /// A client's text as one readable line: no control characters, line ends or marks of text direction; nil when
    /// nothing is left.
    private static func line(_ text: String) -> String? {
        let words = DisplayText.line(text, limit: longestDetail).split(separator: " ")
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}

/// The status that a target reports with its heartbeat.
enum HeartbeatStatus: String, CaseIterable {
    case ok, fail
}
