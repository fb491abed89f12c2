// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// What the servers said to one question: a name and a family.
enum QuestionReply: Equatable {
    case addresses([ResolvedAddress])
    case failure(ResolverAnswer.Outcome)

    /// One outcome of the answers about both families.
    ///
    /// Addresses of either family are an answer. NXDOMAIN is said of the name, whatever the type (RFC 8020), so one is
    /// enough. A failure outweighs "no data", which is about one family only.
    static func combine(_ replies: [QuestionReply], limit: Int) -> ResolverAnswer.Outcome {
        var seen: Set<IPAddress> = []
        var addresses: [ResolvedAddress] = []
        var failures: [ResolverAnswer.Outcome] = []
        for reply in replies {
            switch reply {
            case .failure(let outcome): failures.append(outcome)
            case .addresses(let found):
                for address in found where seen.insert(address.address).inserted { addresses.append(address) }
            }
        }
        // The families come in the order of their answers; IPv4 goes first always.
        let sorted = ResolvedAddress.sortedByFamily(addresses)
        guard sorted.isEmpty else { return .addresses(Array(sorted.prefix(max(1, limit)))) }
        if failures.contains(.noSuchName) { return .noSuchName }
        return failures.first(where: \.isTemporaryFailure) ?? failures.first ?? .noData
    }
}
