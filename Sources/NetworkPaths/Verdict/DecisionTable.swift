// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc

/// The decision table of linux-paths section 4.2: joins a route answer with the state of the links.
///
/// Pure: facts in, verdict out. Where a second look at the table entry is needed it says so.
struct DecisionTable {
    let links: LinkTable

    /// What the first look came to.
    enum Outcome {
        /// A verdict.
        case verdict(Verdict)
        /// The table entry must be asked for, to find a live way (row 10) or an invented route (row 9).
        case needsTableEntry
    }

    /// Judges the answer to a plain question.
    func evaluate(_ answer: RouteAnswer, to question: AddressQuestion) -> Outcome {
        if let failure = failure(answer) { return .verdict(failure) }
        if answer.type == UInt8(RTN_LOCAL) || answer.type == UInt8(RTN_ANYCAST) { return .verdict(local(answer)) }
        let isBoundUnicast =
            question.interface != 0 && question.destination.family == .ipv4 && answer.type == UInt8(RTN_UNICAST)
        let isLive = links[answer.interface]?.isLive ?? false
        if isBoundUnicast || !isLive { return .needsTableEntry }
        return .verdict(outgoing(answer, to: question))
    }

    /// Judges with the table entry at hand.
    ///
    /// - Parameters:
    ///   - answer: The answer to the plain question.
    ///   - entry: The matching table entry.
    ///   - hops: The ways of the entry: its own, or those of its next-hop object.
    func evaluate(
        _ answer: RouteAnswer,
        entry: RouteAnswer,
        hops: [RouteAnswer.Hop],
        to question: AddressQuestion
    ) -> Verdict {
        if let refusal = refusal(ofTableEntry: entry, to: question), question.interface != 0 { return refusal }
        if links[answer.interface]?.isLive ?? false { return outgoing(answer, to: question) }
        let live = hops.first { hop in
            !hop.isDead && (links[hop.interface]?.isLive ?? false)
                && (question.interface == 0 || question.interface == hop.interface)
        }
        guard let live else { return dead(links[answer.interface], index: answer.interface) }
        var other = answer
        other.interface = live.interface
        other.gateway = live.gateway
        other.isIndirect = answer.isIndirect || live.gateway != nil
        // The source belonged to the dead way; the kernel picks another for this one, so only its absence is telling.
        return outgoing(other, to: question, isSourceKnown: false)
    }

    /// Row 10 by the table entry alone, for a target whose last way is known to be dead: an entry with that one way says
    /// all that the plain question would. Nil where it does not.
    func deadEnd(_ entry: RouteAnswer, to question: AddressQuestion) -> Verdict? {
        guard entry.error == 0, entry.type == UInt8(RTN_UNICAST), entry.hops.isEmpty, entry.nextHopObject == nil,
            let link = links[entry.interface], !link.isLive,
            question.interface == 0 || question.interface == entry.interface
        else { return nil }
        return dead(link, index: link.index)
    }

    /// What it means that the table has no entry (row 9); nil if it has one.
    ///
    /// Bound to a device, IPv4 answers "host unreachable" where it finds nothing, which elsewhere means a refusing route.
    func refusal(ofTableEntry entry: RouteAnswer, to question: AddressQuestion) -> Verdict? {
        guard entry.error != 0 else { return nil }
        let isNothingFound = question.interface != 0 && question.destination.family == .ipv4
        if isNothingFound, entry.error == EHOSTUNREACH { return .unsatisfied(.noRoute) }
        return failure(entry)
    }

    /// Rows 3 to 6: errors and the types that refuse.
    private func failure(_ answer: RouteAnswer) -> Verdict? {
        switch answer.error {
        case 0: break
        case ENETUNREACH: return .unsatisfied(.noRoute)
        case EHOSTUNREACH: return .unsatisfied(.unreachable)
        case EACCES: return .unsatisfied(.prohibited)
        case EINVAL where !answer.errorHasText: return .unsatisfied(.blackhole)
        case ENODEV: return .unsatisfied(.noInterface)
        default: return .unsatisfied(.kernelRefused)
        }
        switch Int(answer.type) {
        case Int(RTN_UNREACHABLE): return .unsatisfied(.unreachable)
        case Int(RTN_PROHIBIT): return .unsatisfied(.prohibited)
        case Int(RTN_BLACKHOLE): return .unsatisfied(.blackhole)
        case Int(RTN_THROW): return .unsatisfied(.noRoute)
        default: return nil
        }
    }

    /// Rows 7 and 8: addresses of this machine.
    private func local(_ answer: RouteAnswer) -> Verdict {
        guard let loopback = links.loopback, loopback.isUp else { return .unsatisfied(.loopbackDown) }
        return Verdict(
            flags: [.reachable, .isLocalAddress, .isDirect],
            interface: loopback.index,
            source: answer.source
        )
    }

    /// Row 10: the link is down or without carrier.
    private func dead(_ link: Link?, index: UInt32) -> Verdict {
        guard let link else { return .unsatisfied(.linkDown) }
        // "Down" is nearer to a dormant link than "no carrier".
        let isDown = !link.isUp || link.isDormant
        return .unsatisfied(isDown ? .linkDown : .noCarrier, interface: index)
    }

    /// Rows 11 and 12, and the flags of 4.3.
    private func outgoing(_ answer: RouteAnswer, to question: AddressQuestion, isSourceKnown: Bool = true) -> Verdict {
        guard let link = links[answer.interface] else { return .unsatisfied(.linkDown) }
        let source = question.source ?? answer.source
        if isSourceKnown || source == nil, !isUsable(source, for: question, by: answer, link) {
            return .unsatisfied(.noSourceAddress, interface: link.index)
        }
        var flags: SCNetworkReachabilityFlags = .reachable
        if isDirect(answer, question, link) { flags.insert(.isDirect) }
        if link.isPointToPoint || link.type == .tunnel || link.type == .cellular { flags.insert(.transientConnection) }
        if link.leadsThroughModem { flags.insert(.isWWAN) }
        return Verdict(
            flags: flags,
            interface: link.index,
            source: isSourceKnown ? source : question.source,
            gateway: answer.gateway
        )
    }

    private func isUsable(
        _ source: IPAddress?,
        for question: AddressQuestion,
        by answer: RouteAnswer,
        _ link: Link
    ) -> Bool {
        guard let source else { return false }
        // While an address is tentative the kernel names ::1 as the source, which no packet can carry (L7).
        if source.isLoopback, !link.isLoopback, question.source == nil { return false }
        let isRouted = answer.gateway != nil && source.family == .ipv6
        return !(isRouted && source.isLinkLocal && !question.destination.isLinkLocal)
    }

    private func isDirect(_ answer: RouteAnswer, _ question: AddressQuestion, _ link: Link) -> Bool {
        if !answer.isIndirect, !link.isPointToPoint, link.type != .tunnel { return true }
        let isLinkLocalIPv4 = question.destination.family == .ipv4 && question.destination.isLinkLocal
        return isLinkLocalIPv4 && (link.type == .wiredEthernet || link.type == .wifi)
    }
}

/// What became of one address: a row of the decision table with its flags (linux-paths 4.2 and 4.3).
struct Verdict {
    var flags: SCNetworkReachabilityFlags
    var reason: UnsatisfiedReason?
    /// The index of the outgoing link; zero for none.
    var interface: UInt32 = 0
    var source: IPAddress?
    var gateway: IPAddress?

    /// A verdict of "no", with the dead link as information.
    static func unsatisfied(_ reason: UnsatisfiedReason, interface: UInt32 = 0) -> Verdict {
        Verdict(flags: [], reason: reason, interface: interface)
    }

    /// 0 nothing, 1 a connection could be made, 2 reachable (R55, R70).
    var rank: Int {
        guard flags.contains(.reachable) else { return 0 }
        return flags.contains(.connectionRequired) ? 1 : 2
    }

    /// Whether a declared connection may take the place of this verdict: rows 3, 4, 9, 10 and 11.
    var allowsConnection: Bool {
        switch reason {
        case .noRoute, .unreachable, .prohibited, .blackhole, .linkDown, .noCarrier, .noSourceAddress: true
        default: false
        }
    }
}
