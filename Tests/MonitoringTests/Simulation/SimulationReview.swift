// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

@testable import Monitoring

/// Compares all changes and incidents of a history with what was broken.
struct SimulationReview {
    private let history: NetworkHistory
    private let network: SimulatedNetwork
    private(set) var tally = SimulationTally()

    init(_ history: NetworkHistory) {
        self.history = history
        network = history.network
        let members = network.faults.indices.map(members(of:))
        for number in network.services.indices { review(service: number) }
        for (number, services) in members.enumerated() { review(number, services) }
        reviewIncidents(members)
    }

    private mutating func mistake(_ text: String, at time: UInt64) {
        let seconds = (time - min(time, 1_000_000_000_000)) / 1_000_000_000
        tally.mistakes.append("seed \(history.seed): \(text) at \(seconds) s")
        history.log(time, "WRONG \(text)")
    }

    /// The services that a fault keeps from an answer at some time, and whether all their packets.
    private func members(of number: Int) -> [(service: Int, isPartial: Bool)] {
        let fault = network.faults[number]
        return network.services.indices.compactMap { service in
            let times = [fault.begin, fault.begin + (fault.end - fault.begin) / 2, fault.end - 1]
            let found = times.compactMap { network.blocker(of: service, at: $0) }.filter { $0.fault == number }
            return found.isEmpty ? nil : (service, found.contains { $0.isPartial })
        }
    }

    /// What blocked a service at some time of a span.
    private func blockers(of service: Int, from: UInt64, to: UInt64) -> Set<Int> {
        let edges = network.faults.flatMap { [$0.begin, $0.end - 1] }.filter { from <= $0 && $0 <= to }
        return Set(([from, to] + edges).compactMap { network.blocker(of: service, at: $0)?.fault })
    }

    private mutating func review(service: Int) {
        let settings = history.settings[service]
        var isHealthy = true
        for change in history.changes where change.service == service {
            guard change.state == .down || change.state == .unreachable else { continue }
            if blockers(of: service, from: change.time - history.detection, to: change.time).isEmpty {
                isHealthy = false
                mistake("healthy t\(service) is \(change.state.rawValue) \(change.text)", at: change.time)
            }
        }
        tally.healthy.count(isHealthy)
        let isUp = history.scene.state("t\(service)") == .up
        tally.recovered.count(isUp)
        if !isUp {
            let text = history.scene.reason("t\(service)") ?? ""
            mistake("recovered t\(service) is not up \(settings): \(text)", at: history.scene.world.now())
        }
    }

    private mutating func review(_ number: Int, _ members: [(service: Int, isPartial: Bool)]) {
        let fault = network.faults[number]
        let hosts = Set(
            members.map(\.service).filter { !network.hasOwnFault($0, from: 0, to: fault.end) }.map {
                network.services[$0].host
            }
        )
        for (service, isPartial) in members where !isPartial && fault.router == nil {
            let host = network.services[service].host
            let until = fault.end + history.settings[service].recovery
            let changes = history.changes.filter {
                $0.service == service && fault.begin <= $0.time && $0.time < until
            }
            let hasOwn = network.hasOwnFault(service, from: fault.begin - min(fault.begin, history.recovery), to: until)
            // Within seconds nothing can be found out of a fault that is over before a trace ends.
            let isLong = fault.end - fault.begin > 15_000_000_000
            if fault.kind.isOfWay, isLong, !hasOwn, network.isVisible(fault, for: host, concerned: hosts) {
                let down = changes.first { $0.state == .down }
                tally.members.count(down == nil)
                if let down { mistake("\(fault.kind): member t\(service) is down: \(down.text)", at: down.time) }
            }
            let others = blockers(of: service, from: fault.begin - min(fault.begin, history.recovery), to: until)
            guard others == [number], fault.kind.isOfWay || !network.isAmbiguous(fault, at: fault.end - 1) else {
                continue
            }
            let during = changes.filter { $0.time < fault.end }
            let isSteady = during.count <= 1
            tally.steady.count(isSteady)
            if !isSteady {
                let states = during.map { "\($0.state.rawValue)" }.joined(separator: ", ")
                mistake("\(fault.kind): t\(service) is \(states)", at: during[1].time)
            }
        }
    }

    private mutating func reviewIncidents(_ members: [[(service: Int, isPartial: Bool)]]) {
        let order = network.faults.indices.sorted { network.faults[$0].begin < network.faults[$1].begin }
        var groups: [(faults: [Int], end: UInt64)] = []
        for number in order {
            let fault = network.faults[number]
            if let last = groups.last, fault.begin < last.end {
                groups[groups.count - 1] = (last.faults + [number], max(last.end, fault.end + history.recovery))
            } else {
                groups.append(([number], fault.end + history.recovery))
            }
        }
        for group in groups {
            let faults = group.faults.map { network.faults[$0] }
            guard faults.allSatisfy({ $0.router == nil }),
                !group.faults.contains(where: { members[$0].contains { $0.isPartial } })
            else { continue }
            guard let begin = faults.first?.begin else { continue }
            let openings = history.openings.filter { begin <= $0.time && $0.time < group.end }
            var most = 0
            var least = 0
            for number in group.faults {
                let hosts = members[number].map { network.hosts[network.services[$0.service].host] }
                // What the families of a router's addresses have in common cannot be known.
                let families = Set(hosts.map(\.address.family)).count
                most += families
                let isLong =
                    faults.count == 1 && network.faults[number].end - network.faults[number].begin > history.detection
                if isLong, !hosts.isEmpty { least += 1 }
            }
            let isRight = least <= openings.count && openings.count <= most
            tally.incidents.count(isRight)
            if !isRight {
                let causes = openings.map { "\($0.incident.cause.kind) \($0.incident.cause.subject)" }.joined(
                    separator: ", "
                )
                let kinds = faults.map { "\($0.kind)" }.joined(separator: ", ")
                mistake("\(openings.count) incidents (\(causes)) of \(kinds)", at: begin)
            }
        }
    }
}

extension SimulatedNetwork {
    func address(of service: Int) -> IPAddress { hosts[services[service].host].address }

    /// Whether the host or service itself had a fault in a span.
    func hasOwnFault(_ service: Int, from begin: UInt64, to end: UInt64) -> Bool {
        faults.contains { fault in
            !fault.kind.isOfWay && fault.begin < end && begin < fault.end && fault.host == services[service].host
                && (fault.service == nil || fault.service == service)
        }
    }

    /// Whether a fault of hosts cannot be told from one of their network: two hosts are silent, and none behind the router responds.
    func isAmbiguous(_ fault: SimulatedFault, at time: UInt64) -> Bool {
        let neighbours = services.indices.filter { hosts[services[$0].host].stage == fault.stage }
        let silent = neighbours.filter { blocker(of: $0, at: time) != nil }
        return silent.count == neighbours.count && Set(silent.map { services[$0].host }).count > 1
    }
}
