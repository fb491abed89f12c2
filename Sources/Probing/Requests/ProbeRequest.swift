// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// One probe of one target: the target, the method, the source and the expectation.
package struct ProbeRequest: Sendable, Hashable {
    /// The host to probe.
    package var host: ProbeHost
    /// The kind of probe.
    package var kind: ProbeKind
    /// The timeout of the whole run, including name resolution.
    package var timeout: Duration
    /// The address family.
    package var family: ProbeFamily
    /// The choice among a name's addresses.
    package var addresses: AddressChoice
    /// The source address; only its family is used then.
    package var source: IPAddress?
    /// The interface to send through, by name.
    package var interface: String?
    /// The packets' mark (`SO_MARK`) for routing rules; needs `CAP_NET_ADMIN`.
    package var mark: UInt32?
    /// Whether the expectation is inverted (`reachable: false`): a target that does not answer is a success.
    package var expectsFailure: Bool
    /// The latency above which an answer is `degraded`; for icmp the average round trip counts.
    package var latencyBound: Duration?
    /// The minimum remaining validity of certificates and pins, for kinds that use TLS; less makes the answer
    /// `degraded`.
    package var expiry: ExpiryBounds
    /// The allowed addresses: unless empty, every address of the target must be in one of these.
    package var expectedAddresses: [IPPrefix]
    /// The largest TCP segment in bytes, in both directions; nil for what the links pass.
    var segmentLimit: Int?

    /// The host to resolve and connect to: an http probe's proxy if it has one, otherwise the target.
    package var connectedHost: ProbeHost { kind.settings.proxyHost ?? host }

    /// Creates a request; everything except host and kind has a default.
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

/// The choice among a name's addresses.
package enum AddressChoice: String, Sendable, Hashable, CaseIterable {
    /// The first.
    case first
    /// One after the other until one answers: the next after a failure, or after 250 ms without an answer (RFC 8305).
    case any
    /// All, with a result each; if only some fail, the run is degraded.
    case all
}

/// The address family of a probe.
package enum ProbeFamily: String, Sendable, Hashable, CaseIterable {
    /// Either, IPv4 first.
    case any
    /// Only IPv4.
    case ipv4
    /// Only IPv6.
    case ipv6
    /// Both, with a result each; if one is missing or fails, the run is degraded.
    case both
}
