// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Addresses

/// What one address of a target came to.
public struct AddressResult: Sendable, Hashable {
    /// The address.
    public let address: IPAddress
    /// What it came to.
    public internal(set) var outcome: ProbeOutcome
    /// Why it is not a success.
    public internal(set) var reason: ProbeReason?
    /// One line for people.
    public internal(set) var detail: String
    /// The time from the first packet to the end.
    public internal(set) var duration: Duration = .zero
    /// The parts of that time.
    public internal(set) var phases: [ProbePhase: Duration] = [:]
    /// What the target said.
    package internal(set) var answers = ProbeAnswers()
    /// What the TLS handshake came to, when there was one; also when it failed after the server had shown its chain.
    public internal(set) var tls: TLSReport?
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
