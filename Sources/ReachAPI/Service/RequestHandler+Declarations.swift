// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Monitoring
import Probing

/// For forms: the declaration of a target, and the trial of one before it is stored.
extension RequestHandler {
    func declaration(_ raw: String, _ request: HTTPRequest) -> HTTPResponse {
        guard let id = PercentDecoding.decode(raw[...].utf8, plusIsSpace: false) else {
            return Problem(kind: .badEncoding).response
        }
        let readOnly = Problem(
            kind: .readOnlyTarget,
            detail: "No client of this interface declared the target."
        )
        guard registry.target(id) != nil else { return Problem.unknownTarget(id).response }
        guard editing != nil else { return readOnly.response }
        return edit(request) { [registry] editing in
            // The version is read first: if the declaration changes in between, a change under this validator is refused.
            guard let record = registry.target(id) else { return Problem.unknownTarget(id).response }
            guard let bytes = editing.declaration(of: id) else { return readOnly.response }
            let validator = PreparedAnswer.validator(run: registry.run, version: record.version)
            return HTTPResponse(
                status: 200,
                headers: Self.fresh + [HTTPHeader("ETag", validator)],
                body: .bytes(bytes)
            )
        }
    }

    func check(_ request: HTTPRequest, _ client: ClientIdentity) -> HTTPResponse {
        if let refusal = refusalOfType(request, isPatch: false) { return refusal }
        guard let probes else {
            return Problem(kind: .notImplemented, detail: "This service does not accept changes of targets.").response
        }
        return beginEdit(request) { [probeRequests, clock] editing throws(TargetEditError) in
            let settings = try editing.check(request.body)
            guard case .ask(let asked)? = settings.probe?.method else {
                return { $0(Problem.withoutProbe(settings).response) }
            }
            guard let slot = probeRequests.take(client) else { return { $0(Self.tooManyProbes) } }
            return { answer in
                probes.ask(asked) { result in
                    slot.release()
                    guard let result else { return answer(Self.cancelled("probe")) }
                    // As for a target that is added: the policy also applies to the addresses of names and redirects.
                    if result.reason == .targetDenied {
                        return answer(Problem(kind: .forbidden, detail: result.detail).response)
                    }
                    answer(Self.trial(result, at: clock.now()))
                }
            }
        }
    }

    private static func trial(_ result: ProbeResult, at now: Timestamp) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { writer in
            if let reason = result.reason { writer.member("code", reason.rawValue) }
            writer.member("result") {
                $0.resultMembers(ProbeReport(result, at: now, lag: .zero, diagnosis: nil), detail: .full)
            }
        }
        return HTTPResponse(status: 200, headers: fresh, body: .bytes(writer.bytes))
    }
}
