// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What became of a name.
package struct ResolverAnswer: Sendable, Hashable {
    /// The answer proper.
    package enum Outcome: Sendable, Hashable {
        /// It has these addresses, at least one: IPv4 first, each family in the order of the answer, none twice.
        case addresses([ResolvedAddress])
        /// There is no such name, NXDOMAIN.
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
        /// This cannot be a name: empty, longer than 253 bytes, a label of more than 63, or a byte that no name has.
        case badName
        /// Anything else, with c-ares's code (`ares.h`).
        case failed(code: Int32)
    }

    /// Who knew.
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
    /// Who knew.
    package let source: Source

    /// Creates an answer from its parts.
    package init(outcome: Outcome, source: Source) {
        self.outcome = outcome
        self.source = source
    }
}

extension ResolverAnswer.Outcome {
    /// Whether asking again may well give another answer, so that an older one is better than none: everything but
    /// addresses, NXDOMAIN, no data and a name that is none (linux-paths.md, section 8).
    package var isTemporaryFailure: Bool {
        switch self {
        case .addresses, .noSuchName, .noData, .badName: false
        case .timedOut, .serverFailure, .refused, .unreachable, .failed: true
        }
    }
}
