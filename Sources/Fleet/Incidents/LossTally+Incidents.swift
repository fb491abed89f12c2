// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Targets that a location lost together with many others belong to one incident, that of the location.
extension LossTally {
    /// The observations with the location as the cause of those targets whose votes name no element of the way.
    ///
    /// A target that others reach belongs there when each location that lost it lost many at about the same time. One that no other
    /// location judges may have failed by itself: for that the location must have lost as many as isolate one. What belongs to an incident of
    /// a location stays there until it answers.
    ///
    /// - Parameters:
    ///   - observations: what was decided, in order.
    ///   - losses: which locations do not reach the targets.
    ///   - shared: the number of targets that each location shares with two others or more.
    ///   - settings: how long locations need to agree.
    ///   - incidents: the incidents before.
    func explain(
        _ observations: [IncidentObservation],
        _ losses: [String: Loss?],
        shared: [String: Int],
        settings: FleetSettings,
        incidents: IncidentBook
    ) -> [IncidentObservation] {
        let isConcerned = observations.contains { losses[$0.target].flatMap(\.self) != nil }
        guard isConcerned else { return observations }
        let moments = moments()
        let span = max(settings.settle, settings.lease) * 2
        func number(_ location: String, _ loss: Loss) -> Int {
            moments[location]?.count(in: (loss.since - span)...(loss.since + span)) ?? 0
        }
        func culprit(_ target: String, _ loss: Loss) -> String? {
            let known = loss.locations.first { incidents.has(target, failingFor: .location($0)) }
            if let known { return known }
            guard let first = loss.locations.first,
                loss.locations.allSatisfy({ number($0, loss) >= IsolationTally.fewestTargets })
            else { return nil }
            if loss.isSeen { return first }
            let isMuch = number(first, loss) * 100 >= (shared[first] ?? 0) * IsolationTally.fewestPercent
            return loss.locations.count == 1 && isMuch ? first : nil
        }
        return observations.map { observation in
            guard let loss = losses[observation.target] ?? nil,
                case .failing(let cause, _, let state) = observation.condition, cause.place == .target,
                case .reported(let fault)? = observation.evidence, let location = culprit(observation.target, loss)
            else { return observation }
            let own = IncidentCause.location(location)
            let detail = """
                No answer comes to \(loss.locations.enumeration). At about the same time \(location) lost many targets that other \
                locations reach.
                """
            return IncidentObservation(
                target: observation.target,
                name: observation.name,
                group: observation.group,
                condition: .failing(own, .route, state),
                evidence: .reported(IncidentFault(own, .route, code: fault.code, detail: detail)),
                at: observation.at
            )
        }
    }
}

extension IncidentCause {
    /// What leads from a location is at fault, and the nodes there know no router that ends it.
    static func location(_ name: String) -> IncidentCause { IncidentCause(.hop, name) }
}
