// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
import NetworkPaths
package import Probing
import Schema

extension TargetPolicy {
    /// Why a target may not be probed, by its settings; nil if no reason is known yet.
    package func refusal(of target: TargetSettings) -> Refusal? {
        if let address = target.request.target.remoteAddress, let refusal = refusal(of: address) { return refusal }
        switch target.probe?.method {
        case .ask(let request)?: return refusal(of: request)
        case .heartbeat?: return refusal(of: Kind.push)
        case .traffic(let plan)?: return refusal(of: Kind.traffic) ?? refusal(of: plan.port)
        case nil: return nil
        }
    }

    /// Reports everything in a declaration that clients may not name, with its position.
    func check(
        _ subject: PathTarget,
        _ method: ProbePlan.Method?,
        _ object: ValidatedMapping,
        _ problems: inout MappingDiagnostics
    ) {
        let probe = object.object("probe")
        if let address = subject.remoteAddress, let refusal = refusal(of: address) {
            if let key = ["address", "host"].first(where: object.has) {
                problems.add(.targetDenied, at: key, refusal.detail)
            } else {
                problems.add(.targetDenied, in: "probe", at: "url", refusal.detail)
            }
        }
        switch method {
        case nil: return
        case .heartbeat?:
            if let refusal = refusal(of: Kind.push) {
                problems.add(.targetDenied, in: "probe", at: "type", refusal.detail)
            }
        case .traffic(let plan)?:
            if let refusal = refusal(of: Kind.traffic) {
                problems.add(.targetDenied, in: "probe", at: "type", refusal.detail)
            }
            if let refusal = refusal(of: plan.port) {
                if probe?.has("port") == true {
                    problems.add(.targetDenied, in: "probe", at: "port", refusal.detail)
                } else {
                    problems.add(.targetDenied, at: "port", refusal.detail)
                }
            }
        case .ask(let request)?:
            if let refusal = refusal(of: request.kind.policyKind) {
                let key = probe?.has("url") == true ? "url" : "type"
                problems.add(.targetDenied, in: "probe", at: key, refusal.detail)
            }
            if let port = request.kind.port, let refusal = refusal(of: port) {
                if let key = ["port", "url"].first(where: { probe?.has($0) == true }) {
                    problems.add(.targetDenied, in: "probe", at: key, refusal.detail)
                } else {
                    let key = object.has("port") ? "port" : "probe"
                    problems.add(.targetDenied, at: key, refusal.detail)
                }
            }
            if case .http(let settings) = request.kind, settings.proxy != nil,
                let refusal = refusal(ofRouteOf: settings)
            {
                problems.add(.targetDenied, in: "probe", at: "proxy", refusal.detail)
            }
        }
    }
}

extension PathTarget {
    /// The destination address, if the target names one.
    fileprivate var remoteAddress: IPAddress? {
        switch self {
        case .address(let address, _): address
        case .pair(_, let remote): remote
        case .name, .defaultPath: nil
        }
    }
}
