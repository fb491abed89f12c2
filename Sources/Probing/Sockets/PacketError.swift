// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
import Glibc
import LinuxIO

/// Why a packet did not arrive, as the kernel reports it: `errno`, and the ICMP error behind it where there is one
/// (`struct sock_extended_err`, ip(7)).
package struct PacketError: Sendable, Hashable {
    /// An ICMP error about a packet that was sent.
    package struct Message: Sendable, Hashable {
        /// ICMP (RFC 792) or ICMPv6 (RFC 4443).
        package let family: AddressFamily
        package let type: UInt8
        package let code: UInt8
        /// The sender of the error; nil where the kernel does not report it.
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
    /// The ICMP error behind it; nil when the kernel itself refused.
    package let message: Message?
    /// Whether this machine refused the packet: a rule of its firewall, a prohibit route, a policy of its control group.
    ///
    /// A rule that drops a connection's packets silently, and one that answers with a reset in the target's name, cannot be
    /// told from a silent or refusing target.
    package let isRefusedHere: Bool

    /// A system call that failed without an ICMP error.
    package init(systemError: Int32) {
        self.systemError = systemError
        message = nil
        isRefusedHere = systemError == EPERM || systemError == EACCES
    }

    /// A system call that failed because of an ICMP error.
    ///
    /// - Parameters:
    ///   - local: the socket's own address, nil when it is not known.
    ///   - peer: the address that the packet was sent to.
    package init(systemError: Int32, message: Message, local: IPAddress?, peer: IPAddress) {
        self.systemError = systemError
        self.message = message
        // The kernel sends what a rule rejects with from the packet's own source. From there "host unreachable" also is the
        // kernel's word on a neighbour that does not answer; and at its own addresses every refusal is this machine's.
        isRefusedHere =
            local != nil && message.offender == local && local != peer && Self.isRefusal(message)
    }

    /// The reason that it is.
    package var reason: ProbeReason {
        if isRefusedHere { return .prohibited }
        let known = message.flatMap { ICMPMessage.reason(type: $0.type, code: $0.code, $0.family) }
        return known ?? ErrnoReason.reason(of: systemError, at: .transfer)
    }

    /// The codes that `reject` of nftables and iptables sends, besides "host unreachable".
    private static func isRefusal(_ message: Message) -> Bool {
        switch (message.family, message.type) {
        case (.ipv4, 3): [0, 2, 3, 9, 10, 13].contains(message.code)
        case (.ipv6, 1): [0, 1, 4, 5, 6].contains(message.code)
        default: false
        }
    }
}

extension ProbeFault {
    /// A packet that did not arrive.
    ///
    /// - Parameter words: the system call, and what it failed with.
    init(_ error: PacketError, _ words: String) {
        var detail = words
        if error.isRefusedHere {
            detail = "this machine refused the packet, by its firewall or a route (\(words))"
        } else if let message = error.message, error.reason == .prohibited {
            let name = message.family == .ipv4 ? "ICMP" : "ICMPv6"
            detail = "the packet is prohibited on the way (\(name) type \(message.type), code \(message.code))"
        }
        self.init(reason: error.reason, detail: detail, packetError: error)
    }
}

/// Which reason an `errno` is; it depends on what was being done.
enum ErrnoReason {
    /// What was being done.
    enum Stage: CaseIterable {
        /// A socket was made and set up.
        case setup
        /// Packets were sent and received.
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
        // Who was connected and is not any more, without having hung up, was reset (tcp(7)).
        case (ENOTCONN, .transfer): .connectionReset
        case (EPIPE, .transfer), (ECONNABORTED, .transfer): .connectionClosed
        case (ETIMEDOUT, .transfer): .timeout
        case (EHOSTUNREACH, .transfer), (EHOSTDOWN, .transfer), (ENONET, .transfer): .hostUnreachable
        case (ENETUNREACH, .transfer): .networkUnreachable
        case (ENETDOWN, .transfer): .networkDown
        // What a route of type blackhole answers (linux-paths.md).
        case (EINVAL, .transfer): .blackhole
        case (EMSGSIZE, .transfer): .messageTooBig
        case (ENOPROTOOPT, .transfer), (EPROTO, .transfer): .protocolUnreachable
        default: .systemError
        }
    }
}

extension ProbeFault {
    /// A system call that failed.
    init(_ error: SystemError, at stage: ErrnoReason.Stage) {
        switch stage {
        case .setup: self.init(reason: ErrnoReason.reason(of: error.code, at: stage), detail: error.description)
        case .transfer: self.init(PacketError(systemError: error.code), error.description)
        }
    }
}
