// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// The beginning of faults.
extension NetworkDiagnosis {
    /// Notes a fault at a node, unless a nearer or older one of the same kind explains the same.
    mutating func fault(
        _ id: Int,
        _ witness: PathFault.Witness,
        isLoop: Bool = false,
        since: UInt64,
        _ evidence: FaultEvidence?,
        by reporter: IPAddress?,
        behind last: RouteHop? = nil,
        seenAt: Int64? = nil
    ) -> SilenceReading {
        guard let node = tree[id] else { return .host(isProven: false) }
        // A packet that was sent later came there.
        guard node.reachedAt <= since else { return evidence.map { .own($0) } ?? .host(isProven: false) }
        if var known = node.fault, known.witness == .report || known.witness == witness {
            guard witness == .report else { return .path(known) }
            known.renew(since)
            let isOther = known.reporter != nil && reporter != nil && known.reporter != reporter
            known.others = isOther ? known.others + 1 : 0
            if !isOther { known.evidence = evidence }
            if known.others < Self.takeover {
                tree.update(id) { $0.fault = known }
                return .path(known)
            }
        }
        return .path(
            begin(witness, at: id, isLoop: isLoop, since: since, evidence, by: reporter, behind: last, seenAt: seenAt)
        )
    }

    /// Has a fault begin at a node.
    ///
    /// - Parameters:
    ///   - isForwarding: Whether the node leads nothing on; else nothing comes to it.
    ///   - isLoop: Whether packets go round in circles behind it, or before it where nothing comes to it.
    ///   - last: The last router that packets reach; nil for the one before the node.
    mutating func begin(
        _ witness: PathFault.Witness,
        at place: Int,
        isForwarding: Bool = false,
        isLoop: Bool = false,
        since: UInt64,
        _ evidence: FaultEvidence?,
        by reporter: IPAddress? = nil,
        behind last: RouteHop? = nil,
        seenAt: Int64? = nil
    ) -> PathFault {
        var fault = makeFault(
            place,
            isForwarding: isForwarding,
            witness,
            since: since,
            evidence,
            by: reporter,
            behind: last,
            seenAt: seenAt
        )
        fault.isLoop = isLoop
        tree.update(place) { node in
            if isForwarding { node.forwardingFault = fault } else { node.fault = fault }
        }
        faultCount += 1
        return fault
    }

    /// A fault at a node, which does not begin by that.
    func makeFault(
        _ id: Int,
        isForwarding: Bool = false,
        _ witness: PathFault.Witness,
        since: UInt64,
        _ evidence: FaultEvidence?,
        by reporter: IPAddress?,
        behind known: RouteHop? = nil,
        seenAt: Int64?
    ) -> PathFault {
        let (last, following, network) = tree.ends(at: id, isForwarding: isForwarding)
        return PathFault(
            witness: witness,
            last: known ?? last,
            following: following,
            seenAt: seenAt,
            network: network,
            since: since,
            renewedAt: since,
            evidence: evidence,
            reporter: reporter
        )
    }
}
