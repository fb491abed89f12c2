// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
import Diagnosis
import LinuxIO
import Probing

/// What was considered for the silent targets of an incident, and why the fault was found there.
package struct IncidentDiagnosis: Sendable, Hashable {
    /// An element of the way to the targets.
    package struct Element: Sendable, Hashable {
        /// What it is; raw values are the HTTP contract's.
        package enum Kind: String, Sendable, Hashable, CaseIterable { case gateway, router, network, host }

        /// What it is.
        package let kind: Kind
        /// Its distance, from 1; of a network or a host, that of the last router before it.
        package let hop: Int
        /// The addresses from which it answers; empty for a network.
        package let addresses: [IPAddress]
        /// The prefix of a network.
        package let prefix: IPPrefix?
        /// The number of targets behind it.
        package let targets: Int
        /// Those of them that did not answer their newest probe.
        package let silent: Int
        /// When the newest packet was sent that came to it.
        package let reachedAt: Timestamp?
        /// When the newest packet was sent that it led on.
        package let passedAt: Timestamp?
        /// When the newest trace began that it answered.
        package let tracedAt: Timestamp?
        /// Whether it, or the link to it, is at fault.
        package let isAtFault: Bool
        /// What that says, in a sentence.
        package let text: String
    }

    /// Why the fault is where it is, in sentences.
    package let text: String
    /// When the first silent probe began of the targets that were considered.
    package let since: Timestamp?
    /// The number of silent targets that were considered.
    package let considered: Int
    /// The number of failing targets that were not.
    package let omitted: Int
    /// Whether there are more targets behind the elements than were counted.
    package let isCountPartial: Bool
    /// The elements of their ways, each behind the one before it or at the end of another way.
    package let elements: [Element]

    /// Whether an incident is explained by the elements of a way: while it is open, if its cause follows from missing replies.
    package static func explains(_ incident: Incident) -> Bool {
        guard incident.isOpen else { return false }
        return switch incident.cause.kind {
        case .hop, .router: true
        case .silence, .target: incident.description.isInferred
        default: false
        }
    }
}

extension IncidentDiagnosis {
    /// Puts what is known of ways in words.
    ///
    /// - Parameters:
    ///   - isHost: whether the hosts are at fault, and nothing on the way to them.
    ///   - report: what the last router reported of the host; nil for nothing.
    ///   - time: the wall clock's time of a moment of the monotonic clock.
    init(
        _ ways: WayElements,
        of incident: Incident,
        isHost: Bool,
        report: String?,
        time: (UInt64) -> Timestamp
    ) {
        let since = ways.since ?? 0
        text =
            ways.elements.isEmpty
            ? "No probe has shown the way yet." : isHost ? Self.hostText(ways, report) : Self.pathText(ways)
        self.since = ways.since.map(time)
        considered = ways.considered
        omitted = max(incident.counts.open - ways.considered, 0)
        isCountPartial = !ways.isCountComplete
        elements = ways.elements.map { element in
            Element(
                kind: element.contractKind,
                hop: element.hop,
                addresses: element.addresses,
                prefix: element.prefix,
                targets: element.targets,
                silent: element.silent,
                reachedAt: element.reachedAt.map(time),
                passedAt: element.passedAt.map(time),
                tracedAt: element.answeredAt.map(time),
                isAtFault: isHost ? element.kind == .host : element.fault != nil,
                text: element.text(since: since, isHostAtFault: isHost)
            )
        }
    }

    private static func pathText(_ ways: WayElements) -> String {
        guard let element = ways.elements.first(where: { $0.fault != nil }), let fault = element.fault else {
            return "No element stops all packets: one passed the element at fault, or only some are lost."
        }
        let place = fault.last.flatMap(\.position) ?? "this machine"
        switch fault.witness {
        case .trace:
            let following = fault.following.flatMap(\.position).map { ", which led on to \($0) before" } ?? ""
            return "A trace ended after \(place)\(following). No packet was seen to pass since."
        case .report:
            return "\(fault.diagnosis?.detail ?? "A router reports it"). No packet was seen to pass since."
        case .loss:
            return "Some packets behind \(place) are lost and others come through: hosts there are silent now and then."
        case .silence:
            let verb = element.isForwardingFault ? "passed" : "came to"
            return
                "\(element.suspects) hosts are silent, and no packet \(verb) \(element.name) since. Of the elements that explain "
                + "all of them, it is the nearest to them."
        }
    }

    private static func hostText(_ ways: WayElements, _ report: String?) -> String {
        if let report { return "\(report): the last router before it reports that no host answers there." }
        let hosts = ways.elements.count { $0.kind == .host }
        let name = hosts == 1 ? "the host itself" : "each host itself"
        let networks = ways.elements.filter { $0.prefix != nil }
        if let since = ways.since, networks.allSatisfy({ $0.reachedAt ?? 0 >= since }) {
            let names = Set(networks.map(\.name)).sorted().joined(separator: ", ")
            return "Packets came to \(names) after the first silent probe, so the way worked then: \(name) is at fault."
        }
        return "Nothing shows that the way is broken, and no other host is silent with it: \(name) is at fault."
    }
}

extension WayElement {
    fileprivate var contractKind: IncidentDiagnosis.Element.Kind {
        switch kind {
        case .gateway: .gateway
        case .router: .router
        case .network: .network
        case .host: .host
        }
    }

    fileprivate var prefix: IPPrefix? { if case .network(let prefix) = kind { prefix } else { nil } }

    /// What people call it, such as `10.9.1.2 (hop 2)`.
    fileprivate var name: String {
        prefix?.description ?? RouteHop(hop, addresses).position ?? "hop \(hop)"
    }

    /// What was observed of it, in a sentence.
    ///
    /// - Parameter since: when the first silent probe began.
    fileprivate func text(since: UInt64, isHostAtFault: Bool) -> String {
        if kind == .host { return "It does not answer." }
        let isPassed = passedAt ?? 0 >= since
        if let fault {
            guard !isHostAtFault else { return "A fault here began after the target failed." }
            let verb = isForwardingFault ? "passed" : "came to"
            return switch fault.witness {
            case .trace: "A trace ended before it, and no packet \(verb) it since."
            case .report: "\(fault.diagnosis?.detail ?? "A router reports it"), and no packet \(verb) it since."
            case .silence: "\(suspects) hosts behind it are silent, and no packet \(verb) it since."
            case .loss: "Some packets that pass it are lost."
            }
        }
        if prefix != nil, isPassed { return "Packets came to it after the first silent probe." }
        if isPassed { return "Packets passed it after the first silent probe." }
        if reachedAt ?? 0 >= since { return "It answers; no packet passed it since the first silent probe." }
        return isHostAtFault
            ? "No packet came to it since the first silent probe."
            : "No packet came to it either, but the element at fault is nearer to the silent targets."
    }
}

extension RouteHop {
    /// `10.9.1.2 (hop 2)`; nil without an address.
    fileprivate var position: String? {
        addresses.first.map { TraceComparison.Position(address: $0, hop: hop).description }
    }
}
