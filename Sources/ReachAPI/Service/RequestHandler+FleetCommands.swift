// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import HTTPServer
import JSON
import Monitoring
import Probing

/// Probes on request and heartbeats of the fleet's targets, on any node: the nodes that watch the target learn of them.
extension RequestHandler {
    /// The answer to a command for one of the fleet's targets; nil for all other requests.
    func fleetCommand(
        _ match: Router.Match,
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        _ fleet: FleetView,
        _ client: ClientIdentity
    ) -> HTTPResponse? {
        guard match.route == .probe || match.route == .heartbeat else { return nil }
        guard let id = PercentDecoding.decode((match.id ?? "")[...].utf8, plusIsSpace: false) else {
            return Problem(kind: .badEncoding).response
        }
        // What is not this node's own may be the fleet's, also when another node watches it.
        guard registry.target(id)?.target.map({ $0.settings.origin == .fleet }) ?? true else { return nil }
        if match.route == .probe { return fleetProbe(id, request, fleet) }
        let heartbeat = Heartbeat(&reader)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        return fleetHeartbeat(heartbeat, of: id, request, fleet, client)
    }

    private func fleetProbe(_ id: String, _ request: HTTPRequest, _ fleet: FleetView) -> HTTPResponse {
        guard TargetID.isValid(id) else { return Problem.unknownTarget(id).response }
        return ask(fleet, request) { answer in
            subject(of: id, fleet, answer) { subject in
                guard let probe = subject.probe, !Self.passiveTypes.contains(probe) else {
                    let detail = subject.probe.map { "The target has the type \($0)." } ?? "The target has no probe."
                    return .problem(Problem(kind: .noProbe, detail: detail))
                }
                guard !subject.isPaused else {
                    return .problem(Problem(kind: .noProbe, detail: "The target is paused; resume it first."))
                }
                return .store(.probe)
            } stored: {
                fleet.reader.target(id) { result in
                    answer(
                        result.map { target in
                            guard let target else { return Problem.unknownTarget(id).response }
                            var writer = JSONWriter()
                            writer.fleetTarget(target)
                            return HTTPResponse(status: 202, headers: Self.fresh, body: .bytes(writer.bytes))
                        }
                    )
                }
            }
        }
    }

    private func fleetHeartbeat(
        _ heartbeat: Heartbeat,
        of id: String,
        _ request: HTTPRequest,
        _ fleet: FleetView,
        _ client: ClientIdentity
    ) -> HTTPResponse {
        guard TargetID.isValid(id) else {
            return (gate.spend(.refusal, by: client) ?? Problem.unknownTarget(id)).response
        }
        return ask(fleet, request) { answer in
            let failing: FleetAnswer = { [self] result in
                guard case .failure = result, registry.target(id) != nil else { return answer(result) }
                // This node can evaluate it without the database.
                if let problem = gate.spend(.heartbeat(target: id), by: client) {
                    return answer(.success(problem.response))
                }
                guard evaluate(heartbeat, of: id, { answer(.success($0)) }) else { return answer(result) }
                fleet.keepHeartbeat(heartbeat.isFailure, heartbeat.detail, id)
            }
            subject(of: id, fleet, failing, unknown: { [gate] in gate.spend(.refusal, by: client) }) { [gate] subject in
                guard subject.probe == TargetPolicy.Kind.push.rawValue else {
                    let problem = Problem(kind: .noProbe, detail: "The probe of the target is not of the type push.")
                    return .problem(gate.spend(.refusal, by: client) ?? problem)
                }
                if let problem = gate.spend(.heartbeat(target: id), by: client) { return .problem(problem) }
                return .store(.heartbeat(isFailure: heartbeat.isFailure, detail: heartbeat.detail))
            } stored: {
                answer(.success(Self.taken))
            }
        }
    }

    private static let passiveTypes = Set([TargetPolicy.Kind.push, .traffic].map(\.rawValue))

    /// What to do about a command, once its target is known.
    private enum CommandDecision: Sendable {
        case problem(Problem)
        case store(TargetCommand.Action)
    }

    /// Reads the target of a command, decides, and stores the command.
    private func subject(
        of id: String,
        _ fleet: FleetView,
        _ answer: @escaping FleetAnswer,
        unknown: @escaping @Sendable () -> Problem? = { nil },
        decide: @escaping @Sendable (TargetCommand.Subject) -> CommandDecision,
        stored: @escaping @Sendable () -> Void
    ) {
        fleet.reader.ask(TargetCommand.subject(id)) { result in
            guard case .success(let subject?) = result else {
                return answer(result.map { _ in (unknown() ?? Problem.unknownTarget(id)).response })
            }
            switch decide(subject) {
            case .problem(let problem): answer(.success(problem.response))
            case .store(let action):
                fleet.reader.ask(TargetCommand.store(action, target: id)) { result in
                    guard case .success(true) = result else {
                        return answer(result.map { _ in Problem.unknownTarget(id).response })
                    }
                    stored()
                }
            }
        }
    }
}
