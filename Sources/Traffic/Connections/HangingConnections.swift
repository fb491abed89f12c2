// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Addresses
internal import CLinux
internal import Glibc
package import LinuxIO

/// The connections of a target that hang at present, from a dump of the kernel's TCP sockets (sock_diag(7)).
package struct HangingConnections: Sendable, Hashable {
    /// How many connections are returned at most.
    package static let maximumConnections = 256
    /// How many sockets of the target a dump examines at most.
    package static let maximumExamined = 10_000

    /// Those that hang, in the kernel's order.
    package private(set) var connections: [HangingConnection] = []
    /// How many connections of the target were examined: those in SYN_SENT, ESTABLISHED, FIN_WAIT1 and LAST_ACK.
    package private(set) var examined = 0
    /// Whether all of them were; otherwise a limit, the time or a kernel that dropped messages ended the dump.
    package private(set) var isComplete = true

    private static let states = [TCP_ESTABLISHED, TCP_SYN_SENT, TCP_FIN_WAIT1, TCP_LAST_ACK]

    /// Makes the dump in the network namespace of the calling thread. Never waits: the kernel produces a part of the dump for each
    /// read. It passes its whole connection table for that, about 1 ms for 100,000 buckets.
    ///
    /// - Parameters:
    ///   - endpoints: The target's addresses and ports, at most 256; the rest is not examined.
    ///   - limit: After how long no further part is read.
    ///   - clock: What measures that.
    ///   - isExcluded: Whether to leave out a socket, by its cookie.
    /// - Throws: ``TrafficError`` when the kernel or a sandbox refuses.
    package static func read(
        of endpoints: [TrafficEndpoint],
        within limit: Duration = .milliseconds(50),
        clock: any MonotonicClock = SystemMonotonicClock(),
        isExcluded: (UInt64) -> Bool = { _ in false }
    ) throws(TrafficError) -> HangingConnections {
        var result = HangingConnections()
        let deadline = Deadline(after: limit, clock: clock)
        if endpoints.count > DiagRequest.maximumEndpoints { result.isComplete = false }
        let endpoints = Array(endpoints.prefix(DiagRequest.maximumEndpoints))
        do {
            for family in AddressFamily.allCases {
                // An IPv6 socket may be connected over IPv4.
                let wanted = endpoints.filter { family == .ipv6 || $0.address.family == family }
                if !wanted.isEmpty { try result.dump(family, wanted, deadline, isExcluded) }
            }
        } catch {
            throw TrafficError(error)
        }
        return result
    }

    private mutating func dump(
        _ family: AddressFamily,
        _ endpoints: [TrafficEndpoint],
        _ deadline: Deadline,
        _ isExcluded: (UInt64) -> Bool
    ) throws(SystemError) {
        // A socket for each dump: to close it ends one that is not read to its end.
        let socket = try DiagSocket(slots: 1, slot: 32 << 10)
        let request = DiagRequest(family: family, states: Self.states, endpoints: endpoints, sequence: 1)
        try socket.descriptor.sendToKernel(request.bytes)
        var ending: Int32?
        while ending == nil {
            guard deadline.left > .zero, examined < Self.maximumExamined, connections.count < Self.maximumConnections
            else {
                isComplete = false
                return
            }
            let received = try socket.receive { bytes in
                DiagReply.forEach(in: bytes) { reply, _ in
                    switch reply {
                    case .socket(let message): if !isExcluded(message.cookie) { examine(message) }
                    case .done(let code), .failure(let code): ending = code
                    }
                }
            }
            guard case .datagrams = received else {
                isComplete = false
                return
            }
        }
        if let ending, ending != 0 { throw SystemError(code: ending, operation: "dump of TCP sockets") }
    }

    private mutating func examine(_ message: DiagMessage) {
        examined += 1
        guard connections.count < Self.maximumConnections, let connection = HangingConnection(message) else { return }
        connections.append(connection)
    }
}
