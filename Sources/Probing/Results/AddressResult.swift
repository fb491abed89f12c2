// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

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
