// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import Probing

/// What people and targets do to probes.
extension RequestHandler {
    func setPaused(_ paused: Bool, _ raw: Substring, _ request: HTTPRequest) -> HTTPResponse {
        change(raw, request) { id in
            guard let record = registry.setPaused(paused, target: id) else {
                return Problem(kind: .unknownTarget).response
            }
            return Self.answer(record)
        }
    }

    func probe(_ raw: Substring, _ request: HTTPRequest) -> HTTPResponse {
        change(raw, request) { id in
            guard let settings = registry.target(id)?.target?.settings else {
                return Problem(kind: .unknownTarget).response
            }
            guard let probes, case .ask? = settings.probe?.method else {
                let detail = settings.probe == nil ? "It has no probe." : "It is the one that calls."
                return Problem(kind: .noProbe, detail: detail).response
            }
            let registry = registry
            let answer = DeferredAnswer {
                registry.target(id).map(Self.body) ?? Self.gone
            }
            probes.probe(id) { [weak self] _ in
                answer.complete()
                self?.wakeStreams()
            }
            return HTTPResponse(status: 200, headers: Self.fresh, body: .stream(answer))
        }
    }

    func heartbeat(_ raw: Substring, _ request: HTTPRequest, _ reader: inout QueryReader) -> HTTPResponse {
        let isFailure = reader.cases("status", as: HeartbeatStatus.self).first == .fail
        let detail = reader.one("detail").map { String($0.prefix(Self.longestDetail)) }
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        return change(raw, request, isHeartbeat: true) { id in
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
            probes.heartbeat(id, result) { _ in }
            return HTTPResponse(status: 204, headers: [HTTPHeader("Cache-Control", "no-store")])
        }
    }

    private static let longestDetail = 200
    private static let fresh = [
        HTTPHeader("Content-Type", "application/json"), HTTPHeader("Cache-Control", "no-store"),
    ]
    private static let gone = Array(#"{"error":"the target was removed meanwhile"}"#.utf8)

    private static func answer(_ record: StatusRecord) -> HTTPResponse {
        HTTPResponse(status: 200, headers: fresh, body: .bytes(body(record)))
    }

    private static func body(_ record: StatusRecord) -> [UInt8] {
        var writer = JSONWriter()
        writer.target(record)
        return writer.bytes
    }

    /// Lets through who may change something.
    ///
    /// - Parameter isHeartbeat: heartbeats come from anywhere: they are what a `push` probe is for.
    private func change(
        _ raw: Substring,
        _ request: HTTPRequest,
        isHeartbeat: Bool = false,
        _ body: (String) -> HTTPResponse
    ) -> HTTPResponse {
        guard let id = PercentDecoding.decode(raw.utf8, plusIsSpace: false) else {
            return Problem(kind: .badEncoding).response
        }
        if let refusal = WriteRule.refusal(of: request, isOpenToAll: isHeartbeat) { return refusal }
        return body(id)
    }
}
