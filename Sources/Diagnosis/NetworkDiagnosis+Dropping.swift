// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Packets that do not even come to the gateway.
extension NetworkDiagnosis {
    /// A gateway that answered a trace so shortly before may have to wait with the next answer.
    private static var pause: UInt64 { 1_000_000_000 }

    /// No router answers a trace of a way that is known, not even the gateway, which answered another one: such packets are dropped before
    /// it, or by it. Where others pass the gateway, that concerns the silent targets of this network.
    ///
    /// - Returns: The failing targets to be read again.
    mutating func dropped(_ target: Target, at start: UInt64, _ evidence: Evidence) -> [UInt64] {
        let way = tree.way(to: target.network)
        guard let since = target.failingSince, let place = way.first, let gateway = tree[place],
            gateway.answeredAt > 0, gateway.answeredAt + Self.pause < start,
            !way.contains(where: { tree[$0]?.fault?.witness == .report })
        else { return [] }
        guard gateway.passedAt >= since else {
            let fault = makeFault(place, isForwarding: true, .trace, since: start, evidence, by: nil, seenAt: nil)
            tree.update(place) { $0.forwardingFault = fault }
            faultCount += 1
            return tree.failing(below: place)
        }
        let silent = tree[target.network]?.failing.sorted() ?? []
        for id in silent { note(evidence, of: id, by: nil, until: .max) }
        return silent
    }
}
