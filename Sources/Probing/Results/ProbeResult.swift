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

/// What one address of a target came to.
package struct AddressResult: Sendable, Hashable {
    /// The address.
    package let address: IPAddress
    /// What it came to.
    package internal(set) var outcome: ProbeOutcome
    /// Why it is not a success.
    package internal(set) var reason: ProbeReason?
    /// One line for people.
    package internal(set) var detail: String
    /// The time from the first packet to the end.
    package internal(set) var duration: Duration = .zero
    /// The parts of that time.
    package internal(set) var phases: [ProbePhase: Duration] = [:]
    /// What the target said.
    package internal(set) var answers = ProbeAnswers()
    /// What the TLS handshake came to, when there was one; also when it failed after the server had shown its chain.
    package internal(set) var tls: TLSReport?
    /// Of a success by silence what it would have failed with otherwise.
    var absence: ProbeReason?
    /// What the kernel reported about a packet that did not arrive.
    var packetError: PacketError?
    /// Whether anything came from the service itself, be it the wrong thing.
    var isAnswered = false

    init(_ address: IPAddress, _ outcome: ProbeOutcome, _ reason: ProbeReason?, _ detail: String) {
        self.address = address
        self.outcome = outcome
        self.reason = reason
        self.detail = detail
    }

    init(_ address: IPAddress, _ fault: ProbeFault) {
        self.init(address, .failure, fault.reason, fault.detail)
        packetError = fault.packetError
    }
}

/// What a run came to.
package enum ProbeOutcome: String, Sendable, Hashable, CaseIterable {
    /// The target does what is expected.
    case success
    /// It does so in part, or too slowly.
    case degraded
    /// It does not, or could not be asked.
    case failure
}

/// A part of a run that is timed by itself.
package enum ProbePhase: String, Sendable, Hashable, CaseIterable {
    /// From the start to the name's addresses.
    case resolve
    /// From the first packet to a connection that stands.
    case connect
    /// From the connection to the server's consent to STARTTLS.
    case startTLS = "starttls"
    /// The TLS handshake.
    case tls
    /// From the end of the phase before, or the first packet where there is none, to the whole answer; of an http probe
    /// to its first byte.
    case request
    /// From the first byte of an http probe's answer to the last.
    case transfer
}

extension ProbeResult {
    /// The same result without what says where the target is: addresses, URLs, answers of the DNS, certificates, and sentences that
    /// name them. Outcome, reason, times and numbers stay.
    package var hidingAddress: ProbeResult {
        var result = self
        result.detail = reason.map { $0.rawValue.split(separator: "_").joined(separator: " ") } ?? "the target answered"
        result.address = nil
        result.addresses = []
        result.answers = answers.hidingAddress
        result.tls = nil
        return result
    }
}
