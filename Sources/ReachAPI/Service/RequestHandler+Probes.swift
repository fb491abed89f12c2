// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import Probing

/// What people and targets do to probes.
extension RequestHandler {
    func setPaused(_ paused: Bool, _ raw: String, _ request: HTTPRequest) -> HTTPResponse {
        change(raw, request) { id in
            guard let record = registry.setPaused(paused, target: id) else {
                return Problem(kind: .unknownTarget).response
            }
            return Self.answer(record)
        }
    }

    func probe(_ raw: String, _ request: HTTPRequest) -> HTTPResponse {
        change(raw, request) { id in
            guard let record = registry.target(id), let settings = record.target?.settings else {
                return Problem(kind: .unknownTarget).response
            }
            guard let probes, case .ask? = settings.probe?.method else {
                let detail = settings.probe == nil ? "It has no probe." : "It is the one that calls."
                return Problem(kind: .noProbe, detail: detail).response
            }
            let registry = registry
            // A target that is removed meanwhile is told as it was: the status code is gone already.
            let answer = DeferredAnswer { Self.body(registry.target(id) ?? record) }
            probes.probe(id) { [wiring] _ in
                answer.complete()
                wiring.wakeStreams()
            }
            return HTTPResponse(status: 200, headers: Self.fresh, body: .stream(answer))
        }
    }

    func heartbeat(_ raw: String, _ request: HTTPRequest, _ reader: inout QueryReader) -> HTTPResponse {
        let isFailure = reader.cases("status", as: HeartbeatStatus.self).first == .fail
        let detail = reader.one("detail").flatMap(Self.line)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        return change(raw, request) { id in
            guard let settings = registry.target(id)?.target?.settings else {
                return Problem(kind: .unknownTarget).response
            }
            guard let probes, case .heartbeat? = settings.probe?.method else {
                return Problem(kind: .noProbe, detail: "Its probe is not of the type push.").response
            }
            let result = ProbeResult(
                outcome: isFailure ? .failure : .success,
                reason: isFailure ? .heartbeatFailed : nil,
                detail: detail ?? (isFailure ? "the target says that it failed" : "the target called"),
                duration: .zero
            )
            // Not before it is judged: who reads the target next, or ends the service, finds it.
            return respond(to: request) { [registry] answer in
                probes.heartbeat(id, result) { report in
                    answer(report != nil ? Self.taken : Self.lost(isKnown: registry.target(id) != nil))
                }
            }
        }
    }

    private static let taken = HTTPResponse(status: 204, headers: [HTTPHeader("Cache-Control", "no-store")])

    /// What is told of a heartbeat that nobody judged.
    private static func lost(isKnown: Bool) -> HTTPResponse {
        guard isKnown else { return Problem(kind: .unknownTarget).response }
        let detail = "The call counts for nothing: the service is ending, or the target was changed meanwhile."
        return Problem(kind: .overloaded, detail: detail, headers: [HTTPHeader("Retry-After", "1")]).response
    }

    /// In Unicode scalars: a single character can be as long as a request.
    private static let longestDetail = 200

    /// One line for people out of what somebody sent: no control characters, no line ends, nothing that turns the direction
    /// of the text; nil when nothing is left.
    private static func line(_ text: String) -> String? {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longestDetail) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: line.append(" ")
            default: line.append(scalar)
            }
        }
        let words = String(line).split(separator: " ")
        return words.isEmpty ? nil : words.joined(separator: " ")
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
        return writer.bytes
    }

    private func change(
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
