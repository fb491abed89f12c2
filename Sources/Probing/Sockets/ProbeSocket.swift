// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import Glibc
import LinuxIO

/// Receives the descriptor of each TCP socket of probes and traces before it connects, on their loop's thread.
package typealias ConnectionHandler = (Int32) -> Void

/// A non-blocking socket with the source, interface and mark of a request.
struct ProbeSocket {
    let descriptor: OwnedDescriptor
    private let peer: SocketAddress
    private let address: IPAddress

    /// Creates a socket to one peer: bound and marked, not connected.
    ///
    /// - Throws: ``ProbeFault`` of the setup stage.
    init(_ type: __socket_type, to address: IPAddress, port: UInt16, from origin: ProbeOrigin) throws(ProbeFault) {
        let flags = Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let scope = try origin.scope(for: address)
        peer = SocketAddress(address, port: port, scope: scope)
        self.address = address
        do throws(SystemError) {
            let descriptor = OwnedDescriptor(
                owning: try systemCall("socket") { socket(Int32(address.family.rawValue), flags, 0) }
            )
            self.descriptor = descriptor
            try Self.apply(origin, to: descriptor)
            if let limit = origin.segmentLimit, type == SOCK_STREAM {
                try Self.set(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, Int32(clamping: limit), "TCP_MAXSEG")
            }
            if let source = origin.source {
                let name = SocketAddress(source, scope: scope)
                try systemCall("bind \(source)") {
                    unsafe name.withPointer { unsafe bind(descriptor.number, $0, $1) }
                }
            }
            // Without it, datagram sockets receive no ICMP errors except "port unreachable", and connections only an
            // `errno` that many errors share.
            do throws(SystemError) {
                try setReportsErrors(true)
            } catch {
                // Some sandboxes do not support it for connections, which can do without the details.
                guard type != SOCK_DGRAM else { throw error }
            }
            if type == SOCK_STREAM { origin.opened?(descriptor.number) }
        } catch {
            throw ProbeFault(error, at: .setup)
        }
    }

    /// Binds a socket to the interface and sets the mark.
    static func apply(_ origin: ProbeOrigin, to descriptor: OwnedDescriptor) throws(SystemError) {
        if let interface = origin.interface {
            try systemCall("SO_BINDTODEVICE \(interface)") {
                unsafe setsockopt(
                    descriptor.number,
                    SOL_SOCKET,
                    SO_BINDTODEVICE,
                    interface,
                    socklen_t(interface.utf8.count + 1)
                )
            }
        }
        if let mark = origin.mark {
            try set(descriptor, SOL_SOCKET, SO_MARK, Int32(bitPattern: mark), "SO_MARK \(mark)")
        }
    }

    private func setReportsErrors(_ isOn: Bool) throws(SystemError) {
        let isIPv4 = address.family == .ipv4
        try Self.set(
            descriptor,
            isIPv4 ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6),
            isIPv4 ? IP_RECVERR : IPV6_RECVERR,
            isOn ? 1 : 0,
            "IP_RECVERR"
        )
    }

    private func setReportsHopLimit() throws(SystemError) {
        let isIPv4 = address.family == .ipv4
        try Self.set(
            descriptor,
            isIPv4 ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6),
            isIPv4 ? IP_RECVTTL : IPV6_RECVHOPLIMIT,
            1,
            "IP_RECVTTL"
        )
    }

    /// Restores the kernel's default handling of ICMP errors for established connections: transient routing errors do
    /// not end them (RFC 1122, section 4.2.3.9), and none are queued.
    func endErrorReports() {
        // Setting the same option succeeded before; on failure, errors would only end the connection sooner.
        try? setReportsErrors(false)
    }

    /// Sets an `int` option.
    static func set(
        _ descriptor: OwnedDescriptor,
        _ level: Int32,
        _ option: Int32,
        _ value: Int32,
        _ name: @autoclosure () -> String
    ) throws(SystemError) {
        try systemCall(name()) {
            unsafe withUnsafePointer(to: value) {
                unsafe setsockopt(descriptor.number, level, option, $0, socklen_t(MemoryLayout<Int32>.size))
            }
        }
    }

    /// Starts to connect.
    ///
    /// - Returns: Whether the connection is established already; otherwise the socket becomes writable then.
    func connect() throws(ProbeFault) -> Bool { try connect(isFirst: true) }

    private func connect(isFirst: Bool) throws(ProbeFault) -> Bool {
        do throws(SystemError) {
            try systemCall("connect") { unsafe peer.withPointer { unsafe Glibc.connect(descriptor.number, $0, $1) } }
            return true
        } catch {
            guard error.code != EINPROGRESS, error.code != EALREADY else {
                // On loopback the handshake is complete by now, and a second call is cheaper than waiting for an event.
                return try isFirst ? connect(isFirst: false) : false
            }
            // EAGAIN: every local port towards this peer is in use.
            if error.code == EAGAIN { throw ProbeFault(reason: .outOfPorts, detail: error.description) }
            throw fault(error)
        }
    }

    /// Throws the connection's error, if any.
    func checkError(_ operation: String) throws(ProbeFault) {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &size)
        let queued = packetError()
        // The queue also contains errors that the connection survived.
        let number = code == 0 && !isConnected ? queued?.systemError ?? 0 : code
        guard number != 0 else { return }
        let words = SystemError(code: number, operation: operation).description
        throw ProbeFault(queued ?? PacketError(systemError: number), words)
    }

    /// Drains the socket's error queue and returns its newest ICMP error; nil without one.
    func packetError() -> PacketError? {
        var newest: PacketError?
        var buffer = [UInt8](repeating: 0, count: 64)
        // The kernel reads the hop limit from the queued error only now, so probes without errors need not ask for it.
        // Without it, only the distance of the sender is unknown.
        try? setReportsHopLimit()
        for _ in 0..<64 {
            guard let entry = SocketMessage.receive(&buffer, on: descriptor, flags: Int32(MSG_ERRQUEUE)) else { break }
            guard let message = entry.error else { continue }
            newest = PacketError(systemError: entry.errorNumber, message: message, local: localAddress, peer: address)
        }
        return newest
    }

    /// Returns the fault of a failed send or receive call, with the ICMP error that caused it.
    private func fault(_ error: SystemError) -> ProbeFault {
        ProbeFault(packetError() ?? PacketError(systemError: error.code), error.description)
    }

    private var isConnected: Bool {
        unsafe readAddress { unsafe getpeername(descriptor.number, $0, $1) } != nil
    }

    /// The address that the socket is bound to.
    var localAddress: IPAddress? {
        unsafe readAddress { unsafe getsockname(descriptor.number, $0, $1) }
    }

    private func readAddress(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> IPAddress? {
        var name = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutableBytes(of: &name) { bytes in
            guard let base = bytes.baseAddress,
                unsafe call(base.assumingMemoryBound(to: sockaddr.self), &size) == 0
            else { return nil }
            return unsafe SocketAddress.address(
                in: UnsafeRawBufferPointer(rebasing: bytes[..<min(Int(size), bytes.count)])
            )
        }
    }

    /// Sends as much as the kernel accepts.
    ///
    /// - Returns: The number of bytes, or that the call would block.
    func send(_ bytes: ArraySlice<UInt8>) throws(ProbeFault) -> SystemCallResult<Int> {
        do throws(SystemError) {
            return try nonBlockingCall("send") {
                unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            }
        } catch {
            throw fault(error)
        }
    }

    /// Receives at most `limit` bytes; empty at the peer's end of a connection, or for an empty datagram.
    func receive(_ limit: Int) throws(ProbeFault) -> SystemCallResult<[UInt8]> {
        var failure: SystemError?
        var blocks = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            do throws(SystemError) {
                let result = try nonBlockingCall("recv") {
                    unsafe recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
                }
                switch result {
                case .done(let received): count = received
                case .wouldBlock: blocks = true
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw fault(failure) }
        return blocks ? .wouldBlock : .done(bytes)
    }
}

/// The source of a probe's packets.
struct ProbeOrigin {
    var source: IPAddress?
    var interface: String?
    var mark: UInt32?
    /// The largest TCP segment in bytes, in both directions; nil for what the links pass.
    var segmentLimit: Int?
    var opened: ConnectionHandler?

    /// Returns the index of the interface to use for an address; 0 for any.
    ///
    /// - Throws: ``ProbeFault`` when the interface does not exist, the source is of the other family, or the address is
    ///   ambiguous without an interface.
    func scope(for address: IPAddress) throws(ProbeFault) -> UInt32 {
        if let source, source.family != address.family {
            throw ProbeFault(reason: .invalidRequest, detail: "\(source) cannot send to \(address)")
        }
        guard let interface else {
            // The kernel would return EINVAL, as for a blackhole route.
            guard address.family == .ipv4 || !address.isLinkLocal else {
                throw ProbeFault(reason: .invalidRequest, detail: "\(address) needs an interface")
            }
            return 0
        }
        let index = unsafe if_nametoindex(interface)
        guard index != 0 else {
            throw ProbeFault(reason: .interfaceNotFound, detail: "the interface \(interface) does not exist")
        }
        return index
    }
}

/// Counts the bytes that an attempt receives from the network, below every protocol, and limits them. On the loop's
/// thread.
///
/// The deadline limits a peer's time, this its data: discarded input (chunk extensions, empty frames, session tickets,
/// unrelated messages) counts like content.
final class ReceiveMeter {
    /// The allowance for handshake, headers and framing.
    static let overhead = 1 << 20
    /// The maximum ratio of bytes on the wire to content, for small chunks, frames and TLS records.
    static let expansion = 4

    /// The limit in bytes.
    let limit: Int
    /// The number of bytes received.
    private(set) var received = 0

    /// Creates a meter for an attempt that keeps at most `content` bytes.
    init(content: Int) {
        limit = min(content, .max / (2 * Self.expansion)) * Self.expansion + Self.overhead
    }

    /// Adds received bytes.
    func add(_ count: Int) {
        received += count
    }

    /// Whether the limit is exceeded.
    var isExceeded: Bool { received > limit }

    /// The beginning of a message: `… before its response ended`.
    var words: String { "the peer sent more than \(limit) bytes" }
}
