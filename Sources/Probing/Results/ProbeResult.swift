// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
import Glibc

/// What a run came to.
package struct ProbeResult: Sendable, Hashable {
    /// What it came to.
    package internal(set) var outcome: ProbeOutcome
    /// Why it is not a success.
    package internal(set) var reason: ProbeReason?
    /// One line for people.
    package internal(set) var detail: String
    /// The time from the start to the end.
    package internal(set) var duration: Duration
    /// The parts of that time, for ``address``.
    package internal(set) var phases: [ProbePhase: Duration]
    /// The address that decided: the one that answered, or the first that failed; nil when none was asked.
    package internal(set) var address: IPAddress?
    /// Every address that was asked, in the order of their start. At most 64 are asked.
    package internal(set) var addresses: [AddressResult]
    /// What ``address`` said.
    package internal(set) var answers: ProbeAnswers
    /// What the TLS handshake with ``address`` came to, when there was one.
    package internal(set) var tls: TLSReport?

    /// What the kernel reported about the packet to ``address``, when that is the reason.
    package var packetError: PacketError?
    /// Whether this machine's own firewall, or a route of it, refused the packet.
    package var isRefusedHere: Bool { packetError?.isRefusedHere ?? false }
    /// Whether this machine had no route for the packet: the kernel did not send it, and no router reported anything.
    package var isWithoutRoute: Bool { packetError?.systemError == ENETUNREACH && packetError?.message == nil }

    /// Of a success by silence what the run would have failed with otherwise: the target was not expected to answer
    /// (``ProbeRequest/expectsFailure``), or it is enough that nobody refuses. Silence is evidence only where the way to the
    /// target is known to work, which a run does not know.
    package internal(set) var absence: ProbeReason?

    /// How long the target took to answer: of icmp the average round trip, since the pauses between its requests are ours.
    package var responseTime: Duration { answers.responseTime ?? duration }

    /// Creates a result from its parts.
    package init(
        outcome: ProbeOutcome,
        reason: ProbeReason? = nil,
        detail: String,
        duration: Duration,
        phases: [ProbePhase: Duration] = [:],
        address: IPAddress? = nil,
        addresses: [AddressResult] = [],
        answers: ProbeAnswers = ProbeAnswers(),
        tls: TLSReport? = nil,
        absence: ProbeReason? = nil
    ) {
        self.outcome = outcome
        self.reason = reason
        self.detail = detail
        self.duration = duration
        self.phases = phases
        self.address = address
        self.addresses = addresses
        self.answers = answers
        self.tls = tls
        self.absence = absence
    }

    /// The result of a run whose silence shows nothing, since the way to the target is not known to work.
    ///
    /// - Parameters:
    ///   - absence: what the run failed with then.
    ///   - detail: one line for people.
    package func withoutProof(of absence: ProbeReason, _ detail: String) -> ProbeResult {
        var result = self
        result.outcome = .failure
        result.reason = absence
        result.absence = nil
        result.detail = detail
        return result
    }
}
