// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// What became of a name.
package struct ResolverAnswer: Sendable, Hashable {
    /// The answer proper.
    package enum Outcome: Sendable, Hashable {
        /// It has these addresses, at least one: IPv4 first, each family in the order of the answer, none twice.
        case addresses([ResolvedAddress])
        /// The name does not exist, NXDOMAIN.
        case noSuchName
        /// The name exists and has no address.
        case noData
        /// No server answered in time.
        case timedOut
        /// The servers tried and failed, SERVFAIL, or could not make sense of the question.
        case serverFailure
        /// The servers do not answer us, REFUSED.
        case refused
        /// No server could be asked: nothing listens there, or no packet gets there.
        case unreachable
        /// This machine had no descriptor or memory left to ask with, which says nothing of the name and its servers.
        case exhausted(SystemError)
        /// This cannot be a name: empty, longer than 253 bytes, a label of more than 63, or a byte that no name has.
        case badName
        /// Anything else, with c-ares's code (`ares.h`).
        case failed(code: Int32)
    }

    /// The source.
    package enum Source: Sendable, Hashable {
        /// The name is an address, or no name at all.
        case literal
        /// The hosts file, or the rule that `localhost` is this machine (RFC 6761, section 6.3).
        case hosts
        /// The name servers.
        case servers
    }

    /// The answer proper.
    package let outcome: Outcome
    /// The source.
    package let source: Source
    /// The family that no server gave an answer about, while the other has addresses.
    package let missing: MissingFamily?

    /// A family of addresses that is not known.
    package struct MissingFamily: Sendable, Hashable {
        /// The family.
        package let family: AddressFamily
        /// Why its addresses are not known; ``Outcome/timedOut`` also while an answer may still come.
        package let outcome: Outcome

        /// Creates a value from its parts.
        package init(_ family: AddressFamily, _ outcome: Outcome) {
            self.family = family
            self.outcome = outcome
        }
    }

    /// Creates an answer from its parts.
    package init(outcome: Outcome, source: Source, missing: MissingFamily? = nil) {
        self.outcome = outcome
        self.source = source
        self.missing = missing
    }
}

extension ResolverAnswer.Outcome {
    /// Whether asking again may well give another answer, so that an older one is better than none: everything but
    /// addresses, NXDOMAIN, no data and a name that is none (linux-paths.md, section 8).
    package var isTemporaryFailure: Bool {
        switch self {
        case .addresses, .noSuchName, .noData, .badName: false
        case .timedOut, .serverFailure, .refused, .unreachable, .exhausted, .failed: true
        }
    }
}

/// One address of a name.
package struct ResolvedAddress: Sendable, Hashable {
    /// The time to live of an answer that only a changed file can change: from the hosts file, or a literal.
    package static let permanent = UInt32.max

    /// The address.
    package let address: IPAddress
    /// How long the answer holds, in seconds: the least of the record's and of the aliases' that lead to it.
    package let timeToLive: UInt32

    /// Creates an address; `timeToLive` in seconds.
    package init(_ address: IPAddress, timeToLive: UInt32) {
        self.address = address
        self.timeToLive = timeToLive
    }

    /// IPv4 before IPv6, each family in the order that it came in.
    static func sortedByFamily(_ addresses: [ResolvedAddress]) -> [ResolvedAddress] {
        addresses.filter { $0.address.family == .ipv4 } + addresses.filter { $0.address.family == .ipv6 }
    }
}

/// What the servers said to one question: a name and a type of records.
enum QuestionReply: Equatable {
    case addresses([ResolvedAddress])
    case services([ServiceRecord])
    case failure(ResolverAnswer.Outcome)

    /// Whether it settles what the name is, so that the other family's answer need not be awaited for long: it has addresses, or does
    /// not exist (RFC 8020).
    var settlesName: Bool {
        switch self {
        case .addresses, .failure(.noSuchName): true
        case .services, .failure: false
        }
    }

    /// The family without an answer among replies of which another has addresses.
    ///
    /// - Parameter isComplete: Whether both families' replies are there.
    static func missing(in replies: [QuestionReply], isComplete: Bool) -> ResolverAnswer.MissingFamily? {
        var failure: ResolverAnswer.Outcome? = isComplete ? nil : .timedOut
        var known: AddressFamily?
        for reply in replies {
            switch reply {
            case .addresses(let found): known = found.first?.address.family
            case .failure(let outcome) where outcome.isTemporaryFailure: failure = outcome
            case .failure, .services: break
            }
        }
        guard let known, let failure else { return nil }
        return ResolverAnswer.MissingFamily(known == .ipv4 ? .ipv6 : .ipv4, failure)
    }

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
            case .services: break
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
