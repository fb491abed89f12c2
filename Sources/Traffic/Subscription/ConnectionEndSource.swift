// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Addresses
internal import CLinux
internal import LinuxIO

/// The subscription to TCP sockets that the kernel destroys: the groups `SKNLGRP_INET_TCP_DESTROY` and
/// `SKNLGRP_INET6_TCP_DESTROY` (linux/sock_diag.h, Linux 4.3). Needs no privilege and sees the sockets of its own network namespace.
///
/// Belongs to one thread.
final class ConnectionEndSource {
    /// What a receive brought.
    struct Batch {
        /// Messages received.
        var messages = 0
        /// `ENOBUFS`: the kernel dropped messages.
        var isOverrun = false
    }

    private static let groups = [Int32(SKNLGRP_INET_TCP_DESTROY.rawValue), Int32(SKNLGRP_INET6_TCP_DESTROY.rawValue)]

    private let socket: DiagSocket
    /// Whether the groups are joined.
    private(set) var isSubscribed = false
    /// The length of the filter; 0 while there is none, so that every ended connection is received.
    private(set) var filterLength = 0

    /// The descriptor to watch for reading.
    var descriptor: Int32 { socket.descriptor.number }

    /// The requested receive buffer in bytes: at 2,000 messages a second, whose buffers are about 1 KiB each, half a second.
    static let receiveBuffer: Int32 = 1 << 20

    /// Opens the socket and checks that this kernel reports ended connections; joins nothing yet.
    ///
    /// - Parameter receiveBuffer: The size to request for the socket's receive buffer, in bytes.
    init(receiveBuffer: Int32 = receiveBuffer) throws(TrafficError) {
        do {
            // A message is about 380 bytes; 32 of them in one call bound the work of a turn.
            socket = try DiagSocket(slots: 32, slot: 1024)
            // Joining loads the kernel's module where that is allowed; whether it is there only a dump tells.
            for group in Self.groups {
                try socket.setMembership(group, true)
                try socket.setMembership(group, false)
            }
            try Self.check()
        } catch {
            throw TrafficError(error)
        }
        socket.descriptor.requestReceiveBuffer(receiveBuffer)
    }

    /// Makes a dump of no states, which succeeds only where sock_diag has TCP.
    private static func check() throws(SystemError) {
        let socket = try DiagSocket(slots: 1, slot: 4096)
        try socket.descriptor.sendToKernel(DiagRequest(family: .ipv4, states: [], endpoints: [], sequence: 1).bytes)
        var code: Int32?
        _ = try socket.receive { bytes in
            DiagReply.forEach(in: bytes) { reply, _ in
                switch reply {
                case .socket: break
                case .done(let error), .failure(let error): code = error
                }
            }
        }
        // A kernel that is not Linux may not have replied yet, or ever.
        guard code == 0 else { throw SystemError(code: code ?? EPROTONOSUPPORT, operation: "dump of TCP sockets") }
    }

    /// Joins the groups; does nothing when they are joined.
    func join() throws(SystemError) {
        guard !isSubscribed else { return }
        for group in Self.groups { try socket.setMembership(group, true) }
        isSubscribed = true
    }

    /// Leaves the groups. What has arrived before can still be received.
    func leave() {
        guard isSubscribed else { return }
        isSubscribed = false
        // The kernel refuses only groups that it does not have.
        for group in Self.groups { try? socket.setMembership(group, false) }
    }

    /// Lets only connections of these endpoints pass, and a sample of the others; all connections when there are too many endpoints
    /// for a filter.
    func filter(_ endpoints: some Collection<TrafficEndpoint>) {
        let program = ConnectionFilter.program(endpoints)
        filterLength = socket.setFilter(program) ? program?.count ?? 0 : 0
    }

    /// Receives at most 32 messages without waiting, and calls a body with each socket.
    func receive(_ body: (DiagMessage) -> Void) throws(SystemError) -> Batch {
        var batch = Batch()
        let received = try socket.receive { bytes in
            DiagReply.forEach(in: bytes) { reply, _ in
                guard case .socket(let message) = reply else { return }
                batch.messages += 1
                body(message)
            }
        }
        if case .overrun = received { batch.isOverrun = true }
        return batch
    }
}
