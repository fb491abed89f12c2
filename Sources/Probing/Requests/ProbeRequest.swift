// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// One question to one target: whom, how, from where, and what counts as an answer.
package struct ProbeRequest: Sendable, Hashable {
    /// Whom to ask.
    package var host: ProbeHost
    /// What to do.
    package var kind: ProbeKind
    /// How long the whole run may take, the look-up of the name included.
    package var timeout: Duration
    /// Which address family to use.
    package var family: ProbeFamily
    /// Which of a name's addresses to ask.
    package var addresses: AddressChoice
    /// The local address to send from; its family is then the only one used.
    package var source: IPAddress?
    /// The interface to send through, by name.
    package var interface: String?
    /// The mark of the packets, which routing rules may ask for; needs `CAP_NET_ADMIN`.
    package var mark: UInt32?
    /// Turned round, `reachable: false`: a target that does not answer is a success.
    package var expectsFailure: Bool
    /// An answer that takes longer is `degraded`; for icmp the average of the round trips counts.
    package var latencyBound: Duration?
    /// How long certificates and pins have to last, for kinds that speak TLS; otherwise the answer is `degraded`.
    package var expiry: ExpiryBounds
    /// When not empty: every address of the target must be in one of these.
    package var expectedAddresses: [IPPrefix]

    /// Whom to look up and connect to: an http probe's proxy, if it has one, or the target.
    package var connectedHost: ProbeHost { kind.settings.proxyHost ?? host }

    /// Creates a request; everything but whom and how has a default.
    package init(
        host: ProbeHost,
        kind: ProbeKind,
        timeout: Duration = .seconds(5),
        family: ProbeFamily = .any,
        addresses: AddressChoice = .first,
        source: IPAddress? = nil,
        interface: String? = nil,
        mark: UInt32? = nil,
        expectsFailure: Bool = false,
        latencyBound: Duration? = nil,
        expiry: ExpiryBounds = ExpiryBounds(),
        expectedAddresses: [IPPrefix] = []
    ) {
        self.host = host
        self.kind = kind
        self.timeout = timeout
        self.family = family
        self.addresses = addresses
        self.source = source
        self.interface = interface
        self.mark = mark
        self.expectsFailure = expectsFailure
        self.latencyBound = latencyBound
        self.expiry = expiry
        self.expectedAddresses = expectedAddresses
    }
}

/// Which of a name's addresses a probe asks.
package enum AddressChoice: String, Sendable, Hashable, CaseIterable {
    /// The first.
    case first
    /// One after the other until one answers: the next when one failed, or after 250 ms without an answer (RFC 8305).
    case any
    /// Every one, with a result of its own; some that fail make the run degraded.
    case all
}

/// Which address family a probe uses.
package enum ProbeFamily: String, Sendable, Hashable, CaseIterable {
    /// Whichever there is, IPv4 first.
    case any
    /// Only IPv4.
    case ipv4
    /// Only IPv6.
    case ipv6
    /// Each of the two, with a result of its own; one that is missing or fails makes the run degraded.
    case both
}
