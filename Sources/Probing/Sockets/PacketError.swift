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

        package init(family: AddressFamily, type: UInt8, code: UInt8, offender: IPAddress?) {
            self.family = family
            self.type = type
            self.code = code
            self.offender = offender
        }
    }

    /// The `errno` of the system call.
    package let systemError: Int32
    /// The ICMP error; nil when the kernel itself refused the packet.
    package let message: Message?
    /// Whether this machine refused the packet: by a firewall rule, a prohibit route, or a control group's policy.
    ///
    /// A rule that silently drops packets, or resets connections in the target's name, cannot be distinguished from a
    /// silent or refusing target.
    package let isRefusedHere: Bool

    /// Creates the error of a system call that failed without an ICMP error.
    package init(systemError: Int32) {
        self.systemError = systemError
        message = nil
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
        // The errors of a local reject rule come from the packet's own source address. From there, "host unreachable"
        // may also mean a neighbour that does not answer; to a local destination, every refusal is this machine's.
        isRefusedHere =
            local != nil && message.offender == local && local != peer && Self.isRefusal(message)
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
        var detail = words
        if error.isRefusedHere {
            detail = "this machine's firewall or a local route refused the packet (\(words))"
        } else if let message = error.message, error.reason == .prohibited {
            let name = message.family == .ipv4 ? "ICMP" : "ICMPv6"
            detail = "a router or firewall prohibits the packet (\(name) type \(message.type), code \(message.code))"
        }
        self.init(reason: error.reason, detail: detail, packetError: error)
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
