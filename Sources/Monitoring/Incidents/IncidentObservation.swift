// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
package import Diagnosis
package import NetworkPaths
import Probing
import ServerTrust

/// What ``IncidentBook`` is told of one target: how it is now, and why.
package struct IncidentObservation: Sendable, Hashable {
    /// How a target is, as far as incidents are concerned.
    package enum Condition: Sendable, Hashable {
        /// It is `up`.
        case up
        /// It fails, and this is why.
        case failing(IncidentCause, FaultDistance, TargetState)
        /// Nothing is known, or its failure is not judged yet: nothing begins, and nothing ends.
        case unjudged
        /// It is not judged from now on, or is gone.
        case leaving(IncidentMember.End)

        /// Why it fails; nil while it does not.
        var cause: IncidentCause? {
            if case .failing(let cause, _, _) = self { cause } else { nil }
        }

        /// How far its packets come; nil while it does not fail.
        var distance: FaultDistance? {
            if case .failing(_, let distance, _) = self { distance } else { nil }
        }
    }

    /// The target's id.
    package let target: String
    /// What people call it.
    package let name: String?
    /// Its group.
    package let group: String?
    /// How it is.
    package let condition: Condition
    /// Whether the cause is inferred from missing replies, and not observed.
    package let isInferred: Bool
    /// What shows why it is not up; nil while it is.
    package let evidence: IncidentEvidence?
    /// The port that its probe uses; nil where there is none, or it is not known.
    package let port: UInt16?
    /// The router that followed before where packets end now; nil where none is known.
    package let nextHop: IPAddress?
    /// When the fault began that explains its silence; nil where it is not known.
    package let onset: FaultOnset?
    /// When.
    package let at: Timestamp

    /// Creates an observation.
    ///
    /// - Parameter isInferred: whether the cause is inferred from missing replies; nil: as its kind says.
    package init(
        target: String,
        name: String? = nil,
        group: String? = nil,
        condition: Condition,
        isInferred: Bool? = nil,
        evidence: IncidentEvidence? = nil,
        port: UInt16? = nil,
        nextHop: IPAddress? = nil,
        onset: FaultOnset? = nil,
        at moment: Timestamp
    ) {
        self.target = target
        self.name = name
        self.group = group
        self.condition = condition
        self.isInferred = isInferred ?? condition.cause?.kind.isInferred ?? false
        self.evidence = evidence
        self.port = port
        self.nextHop = nextHop
        self.onset = onset
        at = moment
    }

    /// The cause of the next router's own failure, where packets end before it: one fault, if it is a target and does not answer.
    var nextRouter: IncidentCause? {
        guard condition.cause?.kind == .hop, let nextHop else { return nil }
        return IncidentCause(.silence, nextHop.description)
    }

    /// What a target's record shows; nil for the machine's own network.
    ///
    /// - Parameters:
    ///   - record: the record after a change of the state or of its reason.
    ///   - trigger: what the kernel reported, of a change that came from the path.
    ///   - onset: when the fault began that explains its silence.
    package init?(
        _ record: StatusRecord,
        trigger: ChangeTrigger? = nil,
        onset: FaultOnset? = nil,
        at moment: Timestamp
    ) {
        guard let settings = record.target?.settings else { return nil }
        let reason = record.reason
        let condition = Self.condition(of: record, settings, reason, trigger)
        var isInferred: Bool?
        if case .failing(let cause, .target, _) = condition, cause.kind == .target {
            isInferred = record.evaluation?.diagnosis?.isHostSilent
        }
        let rule = record.evaluation?.diagnosis?.rule
        // As of any other router: its silence is observed, and what is behind it is not.
        if rule == .gatewayRejects { isInferred = true }
        // That a firewall drops packets is inferred; that it refuses them is observed.
        if record.evaluation?.diagnosis?.isDrop == true { isInferred = true }
        var port: UInt16?
        if case .ask(let request)? = settings.probe?.method { port = request.kind.port }
        self.init(
            target: settings.id,
            name: settings.name,
            group: settings.group,
            condition: condition,
            isInferred: isInferred,
            evidence: reason.map { .local($0, trigger: trigger?.interface) },
            port: port,
            nextHop: settings.hidesAddress ? nil : record.evaluation?.diagnosis?.pathEnd?.nextHop?.address,
            onset: onset,
            at: moment
        )
    }

    private static func condition(
        of record: StatusRecord,
        _ settings: TargetSettings,
        _ reason: StateReason?,
        _ trigger: ChangeTrigger?
    ) -> Condition {
        switch record.state {
        case .up: return .up
        case .unknown: return .unjudged
        case .paused: return .leaving(.paused)
        case .maintenance: return .leaving(.maintenance)
        case .degraded, .down, .unreachable: break
        }
        let own = IncidentCause(.target, settings.id)
        if let evaluation = record.evaluation {
            if let parent = evaluation.parent {
                return .failing(IncidentCause(.parent, parent), .parent, record.state)
            }
            // Its probe was suspended, and its next result decides.
            if evaluation.basis == .awaited, evaluation.tally != nil { return .unjudged }
        }
        switch reason?.code {
        case .notEvaluated, .notProbed: return .unjudged
        case .path(let fault):
            // The kernel removes the routes through a link that is set down: the link is what they have in common.
            let link = reason?.interface ?? (trigger?.kind == .link ? trigger?.interface : nil)
            // Without an answer of a resolver a network that is down is the fault; see the path engine.
            let distance: FaultDistance = fault == .nameUnresolved ? .resolution : .path
            return .failing(cause(of: fault, link, record.path, settings) ?? own, distance, record.state)
        default: break
        }
        guard let diagnosis = record.evaluation?.diagnosis else { return .failing(own, .target, record.state) }
        let evidence = ProbeEvidence(
            diagnosis: diagnosis,
            gateway: record.path?.gateway?.description,
            address: settings.hidesAddress ? nil : record.evaluation?.lastReport?.result.address?.description,
            fingerprint: record.evaluation?.lastReport?.result.tls?.chain.first?.fingerprint
        )
        // Packets found no route a moment before the path engine said so.
        if evidence.isWithoutRoute { return .failing(.withoutRoute(settings, record.path), .path, record.state) }
        return .failing(evidence.cause ?? own, diagnosis.rule.distance, record.state)
    }

    /// The cause of a path that is not satisfied; nil for one that concerns the target alone.
    private static func cause(
        of fault: UnsatisfiedReason,
        _ link: String?,
        _ path: NetworkPath?,
        _ settings: TargetSettings
    ) -> IncidentCause? {
        switch fault {
        case .linkDown, .noCarrier: return link.map { IncidentCause(.link, $0) }
        // The name of one target may be wrong; only a resolver that does not answer concerns others.
        case .nameUnresolved: return path?.resolution.state == .failed ? IncidentCause(.dns) : nil
        case .noInterface, .localAddressNotOurs: return nil
        case .noRoute: return link.map { IncidentCause(.link, $0) } ?? .withoutRoute(settings, path)
        default: return IncidentCause(.route, fault.rawValue)
        }
    }
}

extension IncidentCause {
    /// That there is no route, in the family of a target's addresses.
    fileprivate static func withoutRoute(_ settings: TargetSettings, _ path: NetworkPath?) -> IncidentCause {
        let family: AddressFamily? =
            switch settings.pathRequest.target {
            case .defaultPath(let family, _): family
            case .address(let address, _): address.family
            case .pair(let local, let remote): (remote ?? local)?.family
            case .name: path?.resolution.addresses.first?.family
            }
        let suffix = family.map { $0 == .ipv6 ? " IPv6" : " IPv4" } ?? ""
        return IncidentCause(.route, UnsatisfiedReason.noRoute.rawValue + suffix)
    }
}

/// What a probe's failure shows of its cause.
private struct ProbeEvidence {
    let diagnosis: Diagnosis
    let gateway: String?
    let address: String?
    let fingerprint: String?

    /// Whether this machine had no route for the packets, and no gateway was asked.
    var isWithoutRoute: Bool {
        diagnosis.rule == .gatewaySilent
            && (gateway == nil || diagnosis.reason == .networkDown || diagnosis.reason == .networkUnreachable)
    }

    /// The cause that other targets may share; nil when the failure concerns the target alone.
    var cause: IncidentCause? {
        switch diagnosis.rule {
        case .gatewaySilent, .gatewayRejects: gateway.map { IncidentCause(.gateway, $0) }
        case .internetDown: IncidentCause(.internet)
        case .ownFirewall: IncidentCause(.firewall)
        case .resolutionFailed: diagnosis.reason.isOfOneName ? nil : IncidentCause(.dns)
        case .routerRejects: diagnosis.offender?.address.map { IncidentCause(.router, $0.description) }
        case .pathBroken: diagnosis.pathEnd?.lastHop.map { IncidentCause(.hop, $0.address.description) }
        case .mtuBlackHole: diagnosis.pathEnd?.lastHop.map { IncidentCause(.mtu, $0.address.description) }
        case .noAnswer, .hostAbsent: diagnosis.isHostSilent ? address.map { IncidentCause(.silence, $0) } : nil
        case .wrongAnswer, .targetRejects, .nothingFailed: ownCause
        case .kernelRefused, .nameUnresolved, .noPath, .parentDown, .notSent, .wrongAddress, .tooLate, .wayUnproven: nil
        }
    }

    private var ownCause: IncidentCause? {
        if diagnosis.reason == .connectRefused { return address.map { IncidentCause(.refusal, $0) } }
        guard diagnosis.reason.isOfCertificate else { return nil }
        return fingerprint.map { IncidentCause(.certificate, "\($0) \(diagnosis.reason.rawValue)") }
    }
}

extension Diagnosis {
    /// The last router that packets reach; nil where no router is at fault, and where it is not known.
    var lastRouter: IPAddress? { rule.isOfPath ? offender?.address ?? pathEnd?.lastHop?.address : nil }

    /// Whether the host does not answer, and nothing else is known.
    fileprivate var isHostSilent: Bool { rule == .hostAbsent || rule == .noAnswer && reason != .heartbeatMissed }
}

extension CauseRule {
    /// How far a probe that failed by this rule got.
    fileprivate var distance: FaultDistance {
        switch self {
        case .kernelRefused, .noPath, .notSent, .ownFirewall, .gatewaySilent, .internetDown, .wayUnproven, .tooLate:
            .network
        case .parentDown: .parent
        case .nameUnresolved, .resolutionFailed, .wrongAddress: .resolution
        case .gatewayRejects, .routerRejects, .pathBroken, .mtuBlackHole: .route
        case .nothingFailed, .wrongAnswer, .targetRejects, .noAnswer, .hostAbsent: .target
        }
    }
}

extension ProbeReason {
    /// Whether a name server answered, so that only this name is concerned.
    fileprivate var isOfOneName: Bool {
        switch self {
        case .nameNotFound, .nameWithoutAddress, .nameInvalid: true
        default: false
        }
    }

    /// Whether the certificate that the target showed is the reason.
    fileprivate var isOfCertificate: Bool {
        switch self {
        case .tlsExpired, .tlsNotYetValid, .tlsHostnameMismatch, .tlsBadSignature, .tlsNotAnAuthority, .tlsPathTooLong,
            .tlsNameConstraint, .tlsCriticalExtension, .tlsWrongPurpose, .tlsWeakKey, .tlsWeakSignature,
            .tlsLifetimeTooLong, .tlsPinMismatch, .tlsSelfSigned, .tlsUntrustedRoot, .tlsUntrusted,
            .certificateExpiresSoon, .pinsExpireSoon:
            true
        default: false
        }
    }
}
