// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import NetworkPaths
import Probing

/// What the member of an incident showed that opened, reopened or corrected it: the words of its title, and the evidence.
package struct IncidentDescription: Sendable, Hashable {
    /// The id of that member.
    package let target: String
    /// What people call it.
    package let name: String
    /// The state that it had.
    package let state: TargetState
    /// Why, as a stable code; empty when there was none.
    package let code: String
    /// The interface at fault, or whose change led to it.
    package let interface: String?
    /// What other targets may share with it, in words; empty when it concerns that target alone.
    package let words: String
    /// The number of the hop at fault; nil when it is not known.
    package let hop: Int?
    /// The only port at which members found that an address does not answer; nil for several or none.
    package internal(set) var port: UInt16?
    /// Whether the cause is inferred from missing replies.
    package let isInferred: Bool
    /// The members of the target's reason, a JSON object in UTF-8: code, detail, offender, end of the trace.
    package let evidence: [UInt8]

    /// Creates a description from its parts.
    package init(
        target: String,
        name: String,
        state: TargetState,
        code: String,
        interface: String?,
        words: String,
        hop: Int? = nil,
        port: UInt16? = nil,
        isInferred: Bool,
        evidence: [UInt8]
    ) {
        self.target = target
        self.name = name
        self.state = state
        self.code = code
        self.interface = interface
        self.words = words
        self.hop = hop
        self.port = port
        self.isInferred = isInferred
        self.evidence = evidence
    }

    /// Describes what opens an incident.
    init(_ observation: IncidentObservation, _ cause: IncidentCause, _ state: TargetState) {
        let evidence = observation.evidence
        let (code, interface) = (evidence?.code ?? "", evidence?.interface)
        let name = observation.name ?? observation.target
        let parts = cause.subject.split(separator: " ")
        let subject = parts.first.map(String.init) ?? ""
        let words: String =
            switch cause.kind {
            case .link: Self.linkWords(code, subject, isLinkChange: evidence?.hasTriggerInterface == true)
            case .route: Self.routeWords(code, interface)
            case .firewall:
                code == ProbeReason.timeout.rawValue
                    ? "The gateway or a firewall of this machine drops packets"
                    : "This machine's firewall refuses packets"
            case .gateway:
                "Gateway \(subject) \(observation.condition.distance == .route ? Self.reportWords(code) : "does not answer")"
            case .internet: "Too few anchors answer"
            case .dns: "Names cannot be resolved"
            case .router: "Router \(subject) \(Self.reportWords(code))"
            case .hop:
                "Packets \(code == ProbeReason.packetLoss.rawValue ? "are lost" : "end") after \(subject)\(evidence?.hopWords ?? "")"
            case .mtu: "Large packets vanish after \(subject)\(evidence?.hopWords ?? "")"
            case .parent: "\(subject) cannot be used"
            case .certificate: "The certificate of \(name) is not accepted (\(Self.words(code)))"
            case .refusal: "\(subject) refuses connections"
            case .silence: "\(subject) does not answer"
            case .target: ""
            }
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            evidence?.writeReason(to: &writer)
            if let interface { writer.member("interface", interface) }
        }
        self.init(
            target: observation.target,
            name: name,
            state: state,
            code: code,
            interface: interface,
            words: cause.origin.map { "\($0): \(words)" } ?? words,
            hop: cause.kind == .gateway ? 1 : evidence?.hop,
            port: cause.kind == .silence ? observation.port : nil,
            isInferred: observation.isInferred,
            evidence: writer.bytes
        )
    }

    /// The title of an incident.
    ///
    /// - Parameters:
    ///   - kind: the kind of its cause.
    ///   - severity: the worst state of a member.
    ///   - counts: how many members failed in its outage, and how many still do.
    func title(of kind: IncidentCause.Kind, severity: TargetState, counts: IncidentCounts) -> String {
        let reason = Self.words(code)
        if counts.total == 1, words.isEmpty || kind.place == .target {
            return "\(name) is \(severity.rawValue)" + (reason.isEmpty ? "" : ": \(reason)")
        }
        let head = words.isEmpty ? "\(name) is \(state.rawValue)" + (reason.isEmpty ? "" : " (\(reason))") : words
        let place = port.map { " at port \($0)" } ?? ""
        var states = counts.states
        if states.isEmpty { states = [(severity, counts.total)] }
        let first = "\(states[0].count) \(states[0].count == 1 ? "target" : "targets") \(states[0].state.rawValue)"
        return "\(head)\(place): \(first)" + states.dropFirst().map { ", \($0.count) \($0.state.rawValue)" }.joined()
    }

    /// What a router reports of packets.
    private static func reportWords(_ code: String) -> String {
        switch ProbeReason(rawValue: code) {
        case .hostUnreachable: "does not reach what is behind it"
        case .networkUnreachable: "has no route"
        case .ttlExceeded: "sends packets in circles"
        case .prohibited: "rejects packets"
        default: "does not forward packets"
        }
    }

    private static func linkWords(_ code: String, _ link: String, isLinkChange: Bool) -> String {
        switch code {
        case UnsatisfiedReason.noCarrier.rawValue: "\(link) lost its carrier"
        case UnsatisfiedReason.noRoute.rawValue where !isLinkChange: routeWords(code, link)
        default: "\(link) went down"
        }
    }

    private static func routeWords(_ code: String, _ interface: String?) -> String {
        let words =
            switch code {
            case UnsatisfiedReason.noRoute.rawValue: "No route"
            case UnsatisfiedReason.noSourceAddress.rawValue: "No usable source address"
            case UnsatisfiedReason.loopbackDown.rawValue: "The loopback interface is down"
            case UnsatisfiedReason.connectionAvailable.rawValue: "No connection is established"
            case ProbeReason.hostUnreachable.rawValue, ProbeReason.timeout.rawValue: "No neighbour answers on the link"
            default: "A route or rule rejects packets"
            }
        return interface.map { "\(words) since \($0) changed" } ?? words
    }

    /// A reason's code in words: `connect_refused` is "connection refused".
    private static func words(_ code: String) -> String {
        switch code {
        case "connect_refused": "connection refused"
        case let code where code.hasPrefix("tls_"): "TLS " + code.dropFirst(4).replacing("_", with: " ")
        default: code.replacing("_", with: " ")
        }
    }
}

extension IncidentCause.Kind {
    /// Where the fault of such a cause lies.
    package var place: StateCause { IncidentCause(self).place }
}
