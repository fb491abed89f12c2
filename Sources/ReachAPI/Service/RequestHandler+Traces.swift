// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Monitoring
import Probing

/// The traces of a target's path.
extension RequestHandler {
    /// Responds with the traces of a target; a POST traces the path first.
    func trace(_ raw: String, _ request: HTTPRequest, _ client: ClientIdentity) -> HTTPResponse {
        guard let id = PercentDecoding.decode(raw[...].utf8, plusIsSpace: false) else {
            return Problem(kind: .badEncoding).response
        }
        guard let settings = registry.target(id)?.target?.settings else { return Problem.unknownTarget(id).response }
        if settings.hidesAddress {
            let detail = "The target hides its address, which a trace would show."
            return Problem(kind: .noProbe, detail: detail).response
        }
        guard request.method == HTTPMethod.post.rawValue else { return Self.answer(id, probes?.traces(of: id)) }
        guard let probes, case .ask? = settings.probe?.method else {
            return Problem.withoutProbe(settings).response
        }
        guard let slot = probeRequests.take(client) else { return Self.tooManyProbes }
        return respond(to: request) { [registry] answer in
            probes.trace(id) { trace in
                slot.release()
                guard registry.target(id) != nil else { return answer(Problem.unknownTarget(id).response) }
                guard let trace else { return answer(Self.untraceable) }
                if case .fault(let fault) = trace.result.end, fault.reason == .cancelled {
                    return answer(Self.cancelled("trace"))
                }
                // A trace that could not be sent is not stored.
                var traces = probes.traces(of: id) ?? TargetTraces()
                if traces.latest != trace { traces.store(trace) }
                answer(Self.answer(id, traces))
            }
        }
    }

    private static let untraceable = Problem(
        kind: .noProbe,
        detail: "The path cannot be traced: the target is probed through a proxy, its address is not known yet, or "
            + "access.targets denies it."
    ).response

    private static func answer(_ id: String, _ traces: TargetTraces?) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("target", id)
            if let latest = traces?.latest { writer.member("latest") { $0.traceMembers(latest) } }
            if let good = traces?.good { writer.member("last_good") { $0.traceMembers(good) } }
            if let comparison = traces?.comparison { writer.member("comparison", comparison.description) }
            if let end = traces?.end { writer.pathEndMembers(end) }
        }
        return HTTPResponse(status: 200, headers: fresh, body: .bytes(writer.bytes))
    }
}
