// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
import Glibc

/// The result of a run.
package struct ProbeResult: Sendable, Hashable {
    /// The outcome.
    package internal(set) var outcome: ProbeOutcome
    /// The reason why the run is not a success.
    package internal(set) var reason: ProbeReason?
    /// The detail: one line for people.
    package internal(set) var detail: String
    /// The duration of the run.
    package internal(set) var duration: Duration
    /// The durations of the phases, for ``address``.
    package internal(set) var phases: PhaseTimes
    /// The decisive address: the one that answered, or the first that failed; nil when none was probed.
    package internal(set) var address: IPAddress?
    /// The results of all probed addresses in the order of their start; at most 64.
    package internal(set) var addresses: [AddressResult]
    /// The answers of ``address``.
    package internal(set) var answers: ProbeAnswers
    /// The report of the TLS handshake with ``address``, if there was one.
    package internal(set) var tls: TLSReport?

    /// The kernel's report about the packet to ``address``, if that is the reason.
    package var packetError: PacketError?
    /// For a timeout of a connection to ``address`` that was established, what the kernel knew of it.
    package var stall: StalledConnection?
    /// Whether this machine's firewall or a local route refused the packet.
    package var isRefusedHere: Bool { packetError?.isRefusedHere ?? false }
    /// Whether this machine had no route for the packet: it was not sent, and no router reported an error.
    package var isWithoutRoute: Bool { packetError?.systemError == ENETUNREACH && packetError?.message == nil }

    /// For a success by silence, the reason that would otherwise be the failure: the target should not answer
    /// (``ProbeRequest/expectsFailure``), or the absence of ICMP errors is enough. Silence is evidence only if the
    /// network path is known to work, which a run cannot know.
    package internal(set) var absence: ProbeReason?

    /// The target's response time: for icmp the average round trip, because the pauses between requests are ours.
    package var responseTime: Duration { answers.responseTime ?? duration }

    /// Creates a result from its parts.
    package init(
        outcome: ProbeOutcome,
        reason: ProbeReason? = nil,
        detail: String,
        duration: Duration,
        phases: PhaseTimes = [:],
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

    /// The result of a heartbeat.
    ///
    /// - Parameters:
    ///   - isFailure: whether the target reports a failure.
    ///   - detail: its words: one line for people; nil for none.
    package static func heartbeat(isFailure: Bool, detail: String?) -> ProbeResult {
        ProbeResult(
            outcome: isFailure ? .failure : .success,
            reason: isFailure ? .heartbeatFailed : nil,
            detail: detail ?? (isFailure ? "the target reported a failure" : "the target called"),
            duration: .zero
        )
    }

    /// Returns the failure for a silence that proves nothing, because the network path is not known to work.
    ///
    /// - Parameters:
    ///   - absence: The reason of the failure.
    ///   - detail: The detail: one line for people.
    package func withoutProof(of absence: ProbeReason, _ detail: String) -> ProbeResult {
        var result = self
        result.outcome = .failure
        result.reason = absence
        result.absence = nil
        result.detail = detail
        return result
    }
}

/// The result for one address of a target.
package struct AddressResult: Sendable, Hashable {
    /// The address.
    package let address: IPAddress
    /// The outcome.
    package internal(set) var outcome: ProbeOutcome
    /// The reason why it is not a success.
    package internal(set) var reason: ProbeReason?
    /// The detail: one line for people.
    package internal(set) var detail: String
    /// The duration from the first packet to the end.
    package internal(set) var duration: Duration = .zero
    /// The durations of the phases.
    package internal(set) var phases = PhaseTimes()
    /// The answers of the target.
    package internal(set) var answers = ProbeAnswers()
    /// The report of the TLS handshake, if there was one; also after a failure, once the server had sent its chain.
    package internal(set) var tls: TLSReport?
    /// For a success by silence, the reason that would otherwise be the failure.
    var absence: ProbeReason?
    /// The kernel's report about a packet that did not arrive.
    var packetError: PacketError?
    /// For a timeout of an established connection, what the kernel knew of it.
    var stall: StalledConnection?
    /// Whether the service itself sent anything, right or wrong.
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

/// The outcome of a run.
package enum ProbeOutcome: String, Sendable, Hashable, CaseIterable {
    /// The target meets the expectation.
    case success
    /// The target meets it partially or too slowly.
    case degraded
    /// The target does not meet it, or could not be probed.
    case failure
}

/// A separately measured phase of a run.
package enum ProbePhase: String, Sendable, Hashable, CaseIterable {
    /// Name resolution, from the start to the addresses.
    case resolve
    /// From the first packet to the established connection.
    case connect
    /// From the connection to the server's acceptance of STARTTLS.
    case startTLS = "starttls"
    /// The TLS handshake.
    case tls
    /// From the end of the previous phase, or from the first packet, to the complete answer; for an http probe to its
    /// first byte.
    case request
    /// From the first byte of an http probe's response to the last.
    case transfer
}

extension ProbeResult {
    /// The same result without the target's location: without addresses, URLs, DNS answers, certificates, and texts
    /// that contain them. Outcome, reason, times and numbers stay.
    package var hidingAddress: ProbeResult {
        var result = self
        result.detail = reason.map { $0.rawValue.split(separator: "_").joined(separator: " ") } ?? "the target answered"
        result.address = nil
        result.addresses = []
        result.answers = answers.hidingAddress
        result.tls = nil
        result.packetError = packetError?.withoutOffender
        return result
    }
}
