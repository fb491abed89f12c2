// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Addresses
internal import CLinux
internal import Glibc

/// A dump request of the sock_diag protocol: TCP sockets in some states, with an endpoint on either side.
///
/// `INET_DIAG_REQ_BYTECODE` is a small program that the kernel runs for each socket (linux/inet_diag.h). The kernel accepts a socket
/// when the program runs to its very end, and rejects it when it jumps four bytes further.
struct DiagRequest {
    /// How many endpoints a request may have: each takes 64 bytes of a program whose check takes the kernel
    /// quadratic time.
    static let maximumEndpoints = 256

    let bytes: [UInt8]

    /// - Parameters:
    ///   - family: The sockets' family; IPv6 sockets may have an IPv4 endpoint.
    ///   - states: `TCP_…` numbers.
    ///   - endpoints: Endpoints of which a socket must have one; at most ``maximumEndpoints``.
    ///   - sequence: The number that the replies carry.
    init(family: AddressFamily, states: [Int], endpoints: [TrafficEndpoint], sequence: UInt32) {
        var request = inet_diag_req_v2()
        request.sdiag_family = family.rawValue
        request.sdiag_protocol = UInt8(IPPROTO_TCP)
        request.idiag_ext = 1 << UInt8(INET_DIAG_INFO - 1)
        request.idiag_states = states.reduce(0) { $0 | 1 << UInt32($1) }
        let program = Self.program(endpoints.prefix(Self.maximumEndpoints))
        var header = nlmsghdr()
        header.nlmsg_type = UInt16(SOCK_DIAG_BY_FAMILY)
        header.nlmsg_flags = UInt16(NLM_F_REQUEST | NLM_F_DUMP)
        header.nlmsg_seq = sequence
        let size = MemoryLayout<nlmsghdr>.size + MemoryLayout<inet_diag_req_v2>.size
        header.nlmsg_len = UInt32(size + (program.isEmpty ? 0 : 4 + program.count))
        var bytes: [UInt8] = []
        Self.append(header, to: &bytes)
        Self.append(request, to: &bytes)
        if !program.isEmpty {
            Self.append(
                rtattr(rta_len: UInt16(4 + program.count), rta_type: UInt16(INET_DIAG_REQ_BYTECODE)),
                to: &bytes
            )
            bytes += program
        }
        self.bytes = bytes
    }

    /// The alternatives one after the other: a condition, followed by a jump to the end that a match runs into and a mismatch skips.
    private static func program(_ endpoints: some Sequence<TrafficEndpoint>) -> [UInt8] {
        let conditions = endpoints.flatMap { endpoint in
            [INET_DIAG_BC_D_COND, INET_DIAG_BC_S_COND].map { condition(UInt8($0), endpoint) }
        }
        let jump = MemoryLayout<inet_diag_bc_op>.size
        let total = conditions.reduce(-jump) { $0 + $1.count + jump }
        var bytes: [UInt8] = []
        for (index, condition) in conditions.enumerated() {
            bytes += condition
            // Behind the last one a match is at the end, and a mismatch four bytes further.
            guard index < conditions.count - 1 else { break }
            append(
                inet_diag_bc_op(
                    code: UInt8(INET_DIAG_BC_JMP),
                    yes: UInt8(jump),
                    no: UInt16(total - bytes.count)
                ),
                to: &bytes
            )
        }
        return bytes
    }

    /// One `inet_diag_hostcond` with its operation; a mismatch continues behind the jump that follows.
    private static func condition(_ code: UInt8, _ endpoint: TrafficEndpoint) -> [UInt8] {
        let size =
            MemoryLayout<inet_diag_bc_op>.size + MemoryLayout<inet_diag_hostcond>.size + endpoint.address.byteCount
        var bytes: [UInt8] = []
        append(
            inet_diag_bc_op(
                code: code,
                yes: UInt8(size),
                no: UInt16(size + MemoryLayout<inet_diag_bc_op>.size)
            ),
            to: &bytes
        )
        append(endpoint.address.family.rawValue, to: &bytes)
        append(UInt8(endpoint.address.bitWidth), to: &bytes)
        append(UInt16(0), to: &bytes)
        append(Int32(endpoint.port), to: &bytes)
        unsafe endpoint.address.withNetworkBytes { unsafe bytes.append(contentsOf: $0) }
        return bytes
    }

    private static func append<Value: BitwiseCopyable>(_ value: Value, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
    }
}
