// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Diagnosis
import LinuxIO
import NetworkPaths
import Probing

/// From results and traces to the ``NetworkDiagnosis`` of all targets, and back to the reason of each.
extension RegistryState {
    /// A result as the diagnosis takes it.
    struct Observed {
        let id: UInt64
        let target: String
        let host: IPAddress
        let gateway: Gateway
        let hidesAddress: Bool
        let start: UInt64
        let end: UInt64
        /// Whether the connection was established, and then no answer came.
        let isStalled: Bool

        /// nil for a result that shows nothing of the way: the target is on the link, calls by itself, or was not asked.
        init?(_ result: ProbeResult, of record: StatusRecord, _ context: Registry.ProbeContext) {
            guard let target = record.target, case .ask(let request) = target.settings.probe?.method else { return nil }
            var literal: IPAddress?
            if case .address(let address) = request.connectedHost { literal = address }
            guard let host = context.address ?? result.address ?? literal, let path = record.path,
                let gateway = Gateway(path), gateway.address.family == host.family
            else { return nil }
            id = target.ordinal
            self.target = target.settings.id
            self.host = host
            self.gateway = gateway
            hidesAddress = target.settings.hidesAddress
            start = context.began
            end = context.ended
            isStalled = result.stall?.maySuggestBlackHole == true
        }
    }

    /// Has the diagnosis take a result.
    ///
    /// - Returns: What explains it, in the light of all targets, and the targets that have to be probed again.
    mutating func explain(
        _ diagnosis: Diagnosis?,
        _ result: ProbeResult,
        of record: StatusRecord,
        _ context: Registry.ProbeContext
    ) -> (diagnosis: Diagnosis?, again: [UInt64]) {
        guard let observed = Observed(result, of: record, context) else {
            // It is not behind a gateway any more.
            if let target = record.target, let path = record.path, path.gateway == nil,
                result.failure == .none || result.failure == .answered
            {
                ways.remove(target.ordinal)
            }
            return (diagnosis, [])
        }
        guard let diagnosis, result.outcome == .failure else {
            // Silence that is expected proves nothing.
            let isAnswer = result.outcome != .failure && (result.absence == nil || result.failure == .none)
            return (diagnosis, isAnswer ? answered(observed) : [])
        }
        switch diagnosis.rule {
        case .wrongAnswer, .targetRejects: return (diagnosis, answered(observed))
        case .gatewayRejects, .routerRejects:
            takeSilence(observed)
            return takeReport(diagnosis, of: observed)
        case .internetDown:
            takeSilence(observed)
            return (diagnosis, [])
        case .noAnswer:
            // Some packets were answered.
            if diagnosis.reason == .packetLoss { return (diagnosis, []) }
            if observed.isStalled {
                let again = answered(observed, isStalled: true)
                guard let note = ways.note(of: observed.id, at: observed.end) as? Diagnosis, note.rule == .mtuBlackHole
                else {
                    return (unconfirmed(observed.id) ?? diagnosis, again)
                }
                return (note, again)
            }
            takeSilence(observed)
            return (reading(of: observed.id, for: diagnosis, at: observed.end), [])
        default: return (diagnosis, [])
        }
    }

    /// Has the diagnosis know the way of a target that was not probed yet: it may be asked for another one's sake.
    mutating func place(_ record: StatusRecord) {
        guard let target = record.target, case .ask(let request) = target.settings.probe?.method,
            let path = record.path,
            let gateway = Gateway(path)
        else { return }
        let host: IPAddress? =
            if case .address(let address) = request.connectedHost { address } else { path.resolution.addresses.first }
        guard let host, host.family == gateway.address.family else { return }
        ways.place(target.ordinal, host, gateway)
    }

    private mutating func answered(_ observed: Observed, isStalled: Bool = false) -> [UInt64] {
        restart(
            ways.answered(
                observed.id,
                observed.host,
                observed.gateway,
                at: observed.start,
                until: observed.end,
                isStalled: isStalled
            )
        )
    }

    /// Has targets be confirmed anew whose failures spoke of a fault that is over; a witness of one that may be over keeps its failures.
    mutating func restart(_ ids: [UInt64]) -> [UInt64] {
        for id in ids where ways.failingSince(id) == nil { judges[id]?.machineSlept() }
        return ids
    }

    mutating func takeSilence(_ observed: Observed) {
        // In the run before, of which the incidents tell until there is a verdict.
        let wasDown = judges[observed.id]?.isUndecided == true && incidents?.isDownByItself(observed.target) == true
        ways.silent(observed.id, observed.host, observed.gateway, at: observed.start, wasDown: wasDown)
    }

    private mutating func takeReport(_ diagnosis: Diagnosis, of observed: Observed) -> (Diagnosis, [UInt64]) {
        guard let offender = diagnosis.offender, let report = RouterReport(diagnosis.reason) else {
            return (diagnosis, [])
        }
        // A target that hides its address has no address of the router either; its report then concerns it alone.
        guard let address = offender.address else {
            return (note(diagnosis, of: observed, by: nil), [])
        }
        let hop = offender.role == .gateway ? 1 : offender.message.hops
        let (reading, again) = ways.reported(
            report,
            observed.id,
            by: address,
            hop: hop,
            from: observed.start,
            at: observed.end,
            isDown: isDownByItself(observed.id),
            diagnosis
        )
        _ = restart(again)
        switch reading {
        case .host where report != .noHost:
            if let known = judges[observed.id]?.failureReason { return (known, again) }
            // It was down before this run.
            let detail = "it does not respond, and did not before \(address) reported a fault of the way"
            return (Diagnosis(reason: .timeout, detail: detail, rule: .noAnswer), again)
        case .host:
            let absent = Diagnosis(
                reason: diagnosis.reason,
                detail: "\(address) finds no host at \(observed.host)",
                rule: .hostAbsent,
                offender: offender
            )
            let note = note(absent, of: observed, by: address)
            return (unconfirmed(observed.id) ?? note, again)
        case .own(let note): return (note as? Diagnosis ?? diagnosis, again)
        case .path(let fault):
            return (self.diagnosis(fault, of: observed.id, hidesAddress: observed.hidesAddress), again)
        }
    }

    /// Notes what was reported of one target alone; returns what explains its silence now.
    private mutating func note(_ diagnosis: Diagnosis, of observed: Observed, by router: IPAddress?) -> Diagnosis {
        let note = ways.note(diagnosis, of: observed.id, by: router, until: observed.end + Self.reportAge)
        return note as? Diagnosis ?? diagnosis
    }

    static var reportAge: UInt64 { NetworkDiagnosis.reportAge }

    /// What explains a target that does not answer.
    mutating func reading(of id: UInt64, for diagnosis: Diagnosis, at now: UInt64) -> Diagnosis {
        let hidesAddress = table.position(ordinal: id).flatMap { table.places[$0].record?.target }?.settings
            .hidesAddress
        switch ways.reading(of: id, at: now, isDown: isDownByItself(id)) {
        case .path(let fault):
            // What a trace or a report showed may have ended for other networks only, and silence alone tells less of where.
            if fault.witness == .silence, let before = judges[id]?.failureReason,
                before.isShown && !isPassed(before, by: id) || unconfirmed(id) != nil
            {
                return before
            }
            return self.diagnosis(fault, of: id, hidesAddress: hidesAddress == true)
        case .own(let note):
            guard let note = note as? Diagnosis else { return diagnosis }
            switch note.rule {
            case .mtuBlackHole: return diagnosis
            case .hostAbsent: return unconfirmed(id) ?? note
            default: return note
            }
        case .host:
            if let fault = ways.reportOfNext(id), fault.diagnosis?.reason.isOfRoute == true, !isDownByItself(id) {
                return self.diagnosis(fault, of: id, hidesAddress: hidesAddress == true)
            }
            // By another gateway nothing came to its network yet: that what was found before is over is not shown.
            if let before = judges[id]?.failureReason, before.isShown, ways.provenAt(id) == 0 { return before }
            return unconfirmed(id) ?? diagnosis
        }
    }

    /// Whether packets to a target pass the router behind which its way ended.
    private func isPassed(_ before: Diagnosis, by id: UInt64) -> Bool {
        let router = before.pathEnd?.lastHop?.address ?? before.offender?.address
        return router.map { ways.isPassed($0, by: id) } ?? false
    }

    /// What was wrong with the way of a target, while it is not confirmed that the target itself is: when the way is right again, that takes
    /// as many results as ever.
    private func unconfirmed(_ id: UInt64) -> Diagnosis? {
        guard let judge = judges[id], let before = judge.failureReason, before.rule.isOfPath,
            ways.failuresAndStalls(of: id) < judge.plan?.verdict.fall ?? 1
        else { return nil }
        return before
    }

    /// Whether one more failure would make a target `down`.
    func isDecisive(_ id: UInt64) -> Bool {
        guard let judge = judges[id] else { return false }
        let isOfPath = judge.failureReason?.rule.isOfPath == true
        return judge.wouldFall || isOfPath && ways.failuresAndStalls(of: id) >= judge.plan?.verdict.fall ?? 1
    }

    /// Whether a target is down, and not for a fault of the way; or was before this run and did not respond since.
    func isDownByItself(_ id: UInt64) -> Bool {
        if ways.wasDown(id) { return true }
        guard let judge = judges[id], judge.isDown else { return false }
        return judge.failureReason.map { $0.rule.isOfPath || $0.isDrop } != true
    }

    /// A fault of the way as the reason of a target.
    private func diagnosis(_ fault: PathFault, of id: UInt64, hidesAddress: Bool) -> Diagnosis {
        if hidesAddress {
            return Diagnosis(reason: .timeout, detail: "packets end on the way", rule: .pathBroken)
        }
        if let evidence = fault.diagnosis { return evidence }
        let last = fault.last.flatMap { hop in
            hop.addresses.first.map { TraceComparison.Position(address: $0, hop: hop.hop) }
        }
        let following = fault.following.flatMap { hop in
            hop.addresses.first.map { TraceComparison.Position(address: $0, hop: hop.hop) }
        }
        let seenAt = following == nil ? nil : fault.seenAt.map { Timestamp(milliseconds: $0) }
        let place = last.map { "behind \($0)" } ?? "on the way"
        let detail =
            switch (fault.witness, fault.network, following) {
            case (.silence, .some(let network), _): "no host of \(network) \(place) responds"
            case (.silence, nil, _): "nothing \(place) responds"
            case (.loss, _, _): "some packets to several hosts \(place) are lost"
            case (_, _, .some(let following)): "the path stops \(place), which led on to \(following) before"
            default: "the path stops \(place)"
            }
        return Diagnosis(
            reason: fault.witness == .loss ? .packetLoss : .timeout,
            detail: detail,
            rule: .pathBroken,
            pathEnd: last.map {
                PathEnd(lastHop: $0, nextHop: following, seenAt: seenAt, length: ways.distance(of: id))
            }
        )
    }
}

extension Diagnosis {
    /// Whether a trace showed that packets are dropped before the gateway, or by it.
    var isDrop: Bool { rule == .ownFirewall && reason == .timeout }

    /// Whether it only says why no answer came.
    var isReadingOfSilence: Bool { rule.isOfPath || rule == .noAnswer || rule == .hostAbsent || isDrop }

    /// Whether a report or a trace showed where the way ends.
    fileprivate var isShown: Bool {
        rule == .routerRejects || rule == .pathBroken && pathEnd?.nextHop != nil
    }
}

extension ProbeReason {
    /// Whether a router reports that it cannot forward, and not that nobody answers behind it.
    fileprivate var isOfRoute: Bool { self == .networkUnreachable || self == .ttlExceeded }
}

extension Gateway {
    /// The gateway of a path; nil for one on the link.
    init?(_ path: NetworkPath) {
        guard let address = path.gateway else { return nil }
        self.init(address, interface: path.interface?.name)
    }
}

extension PathFault {
    /// What a result or a trace said of it.
    var diagnosis: Diagnosis? { evidence as? Diagnosis }
}

extension RouterReport {
    /// What a router's report says of the network; nil for one that is about the packet.
    init?(_ reason: ProbeReason) {
        switch reason {
        case .hostUnreachable: self = .noHost
        case .networkUnreachable: self = .noRoute
        case .ttlExceeded: self = .loop
        default: self = .prohibited
        }
    }
}

extension CauseRule {
    /// Whether the rule explains that no answer came by a fault on the way.
    var isOfPath: Bool { self == .pathBroken || self == .routerRejects || self == .gatewayRejects }
}
