// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Monitoring
import Traffic

/// This machine's own connections to targets.
extension RequestHandler {
    /// The connections to a target in the last hour by minute, and those that hang at present.
    func traffic(_ raw: String, _ request: HTTPRequest) -> HTTPResponse {
        change(raw, request) { id in
            guard let settings = registry.target(id)?.target?.settings else {
                return Problem.unknownTarget(id).response
            }
            guard let probes, let traffic = probes.traffic(of: id) else { return notObserved }
            return respond(to: request) { answer in
                probes.hangingConnections(of: id) { hanging in
                    answer(Self.answer(id, traffic, hanging, hidesAddress: settings.hidesAddress))
                }
            }
        }
    }

    private var notObserved: HTTPResponse {
        let detail =
            switch probes?.trafficStatus {
            case .unavailable(let error)?: "Connections cannot be observed: \(error.message)."
            case .off?, nil: "Connections are not observed: traffic.observe is off."
            case .observing?:
                "Connections are not observed: the target's TCP port is not known, or it is behind a proxy."
            }
        return Problem(kind: .noTraffic, detail: detail).response
    }

    private static func answer(
        _ id: String,
        _ traffic: TargetTraffic,
        _ hanging: Result<HangingConnections, TrafficError>?,
        hidesAddress: Bool
    ) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("target", id)
            writer.trafficMembers(withMinutes: traffic)
            switch hanging {
            case .success(let hanging)?:
                writer.member("hanging") { $0.hangingMembers(hanging, hidesAddress: hidesAddress) }
            case .failure(let error)?: writer.member("hanging_error", error.message)
            case nil: break
            }
        }
        return HTTPResponse(status: 200, headers: fresh, body: .bytes(writer.bytes))
    }
}
