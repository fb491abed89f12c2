// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
import Glibc
import LinuxIO

/// The reason why a packet did not arrive: `errno`, and the ICMP error that caused it, if any (`struct
/// sock_extended_err`, ip(7)).
package struct PacketError: Sendable, Hashable {
    /// An ICMP error about a packet that was sent.
    package struct Message: Sendable, Hashable {
        /// ICMP (RFC 792) or ICMPv6 (RFC 4443).
        package let family: AddressFamily
        package let type: UInt8
        package let code: UInt8
        /// The sender of the error; nil when the kernel does not report it.
        package let offender: IPAddress?
        /// The hop limit (IPv4: TTL) with which the error arrived; nil when the kernel does not report it.
        package let hopLimit: UInt8?

        package init(family: AddressFamily, type: UInt8, code: UInt8, offender: IPAddress?, hopLimit: UInt8? = nil) {
            self.family = family
            self.type = type
            self.code = code
            self.offender = offender
            self.hopLimit = hopLimit
        }

        /// The number of hops from the sender to this machine: 1 for a neighbour; nil when unknown.
        ///
        /// An estimate: senders start with a hop limit of 64, 128 or 255, and the way back may differ from the way there.
        package var hops: Int? {
            guard let hopLimit, hopLimit > 0, let start = [64, 128, 255].first(where: { $0 >= Int(hopLimit) }) else {
                return nil
            }
            return start - Int(hopLimit) + 1
        }

        /// The name of the protocol, for people.
        package var protocolName: String { family == .ipv4 ? "ICMP" : "ICMPv6" }

        /// The type and code, for people: `ICMP type 3, code 13`.
        package var name: String { "\(protocolName) type \(type), code \(code)" }

        /// The meaning of the type and code in a few words, for people.
        package var meaning: String { ICMPMessage.meaning(type: type, code: code, family) }
    }

    /// The sender of the ICMP error, in relation to the packet.
    package enum Sender: Sendable, Hashable, CaseIterable {
        /// This machine: its firewall, its routes, or its kernel for a next hop that does not answer.
        case thisMachine
        /// The packet's destination.
        case target
        /// Any other address: a router or a firewall on the path.
        case router
    }

    /// The `errno` of the system call.
    package let systemError: Int32
    /// The ICMP error; nil when the kernel itself refused the packet.
    package let message: Message?
    /// The sender of ``message``; nil without one, or when the kernel does not report it.
    package let sender: Sender?
    /// Whether this machine refused the packet: by a firewall rule, a prohibit route, or a control group's policy.
    ///
    /// A rule that silently drops packets, or resets connections in the target's name, cannot be distinguished from a
    /// silent or refusing target.
    package let isRefusedHere: Bool

    /// Creates the error of a system call that failed without an ICMP error.
    package init(systemError: Int32) {
        self.systemError = systemError
        message = nil
        sender = nil
        isRefusedHere = systemError == EPERM || systemError == EACCES
    }

    /// Creates the error of a system call that failed because of an ICMP error.
    ///
    /// - Parameters:
    ///   - local: The socket's own address; nil when unknown.
    ///   - peer: The destination of the packet.
    package init(systemError: Int32, message: Message, local: IPAddress?, peer: IPAddress) {
        self.systemError = systemError
        self.message = message
        sender = message.offender.map { $0 == local && local != peer ? .thisMachine : $0 == peer ? .target : .router }
        // The errors of a local reject rule come from the packet's own source address. From there, "host unreachable"
        // may also mean a neighbour that does not answer; to a local destination, every refusal is this machine's.
        isRefusedHere = sender == .thisMachine && Self.isRefusal(message)
    }

    private init(systemError: Int32, message: Message?, sender: Sender?, isRefusedHere: Bool) {
        self.systemError = systemError
        self.message = message
        self.sender = sender
        self.isRefusedHere = isRefusedHere
    }

    /// The same error without the address and the distance of its sender.
    var withoutOffender: PacketError {
        let message = message.map { Message(family: $0.family, type: $0.type, code: $0.code, offender: nil) }
        return PacketError(systemError: systemError, message: message, sender: sender, isRefusedHere: isRefusedHere)
    }

    /// The reason of the run.
    package var reason: ProbeReason {
        if isRefusedHere { return .prohibited }
        let known = message.flatMap { ICMPMessage.reason(type: $0.type, code: $0.code, $0.family) }
        return known ?? ErrnoReason.reason(of: systemError, at: .transfer)
    }

    /// Returns whether it is a code that `reject` of nftables and iptables sends, other than "host unreachable".
    private static func isRefusal(_ message: Message) -> Bool {
        switch (message.family, message.type) {
        case (.ipv4, 3): [0, 2, 3, 9, 10, 13].contains(message.code)
        case (.ipv6, 1): [0, 1, 4, 5, 6].contains(message.code)
        default: false
        }
    }
}

extension ProbeFault {
    /// Creates a fault for a packet that did not arrive.
    ///
    /// - Parameter words: The system call, and its error.
    init(_ error: PacketError, _ words: String) {
        self.init(reason: error.reason, detail: Self.detail(error, words), packetError: error)
    }

    private static func detail(_ error: PacketError, _ words: String) -> String {
        if error.isRefusedHere { return "this machine's firewall or a local route refused the packet (\(words))" }
        guard let message = error.message else { return words }
        guard let offender = message.offender, let sender = error.sender else {
            guard error.reason == .prohibited else { return words }
            return "a router or firewall prohibits the packet (\(message.name))"
        }
        switch sender {
        case .thisMachine: return "no neighbour answers at the next hop's address (\(words))"
        case .target where error.reason == .connectRefused: return words
        case .target: return "the target says: \(message.meaning) (\(message.name))"
        case .router:
            let place = message.hops.map { $0 == 1 ? ", a neighbour," : ", \($0) hops away," } ?? ""
            return "\(offender)\(place) says: \(message.meaning) (\(message.name))"
        }
    }
}

/// Maps `errno` to reasons, depending on the stage.
enum ErrnoReason {
    /// The stage of the failed operation.
    enum Stage: CaseIterable {
        /// Creating and configuring a socket.
        case setup
        /// Sending and receiving packets.
        case transfer
    }

    static func reason(of code: Int32, at stage: Stage) -> ProbeReason {
        switch (code, stage) {
        case (EMFILE, _), (ENFILE, _): .outOfDescriptors
        case (ENOMEM, _), (ENOBUFS, _): .outOfMemory
        case (EAFNOSUPPORT, _), (EPROTONOSUPPORT, _): .familyUnsupported
        case (ENODEV, _), (ENXIO, _): .interfaceNotFound
        case (EPERM, .setup), (EACCES, .setup): .permissionDenied
        case (EADDRNOTAVAIL, .setup): .sourceUnavailable
        case (EADDRINUSE, _), (EADDRNOTAVAIL, .transfer): .outOfPorts
        case (EPERM, .transfer), (EACCES, .transfer): .prohibited
        case (ECONNREFUSED, .transfer): .connectRefused
        case (ECONNRESET, .transfer): .connectionReset
        // A connection that is gone without having been closed was reset (tcp(7)).
        case (ENOTCONN, .transfer): .connectionReset
        case (EPIPE, .transfer), (ECONNABORTED, .transfer): .connectionClosed
        case (ETIMEDOUT, .transfer): .timeout
        case (EHOSTUNREACH, .transfer), (EHOSTDOWN, .transfer), (ENONET, .transfer): .hostUnreachable
        case (ENETUNREACH, .transfer): .networkUnreachable
        case (ENETDOWN, .transfer): .networkDown
        // The error of a blackhole route (linux-paths.md).
        case (EINVAL, .transfer): .blackhole
        case (EMSGSIZE, .transfer): .messageTooBig
        case (ENOPROTOOPT, .transfer), (EPROTO, .transfer): .protocolUnreachable
        default: .systemError
        }
    }
}

extension ProbeFault {
    /// Creates a fault for a failed system call.
    init(_ error: SystemError, at stage: ErrnoReason.Stage) {
        switch stage {
        case .setup: self.init(reason: ErrnoReason.reason(of: error.code, at: stage), detail: error.description)
        case .transfer: self.init(PacketError(systemError: error.code), error.description)
        }
    }
}
