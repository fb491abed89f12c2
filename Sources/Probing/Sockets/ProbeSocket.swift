// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import Glibc
import LinuxIO

/// A non-blocking socket that goes out the way a request says.
struct ProbeSocket {
    let descriptor: OwnedDescriptor
    private let peer: SocketAddress
    private let address: IPAddress

    /// Makes a socket to one peer: bound and marked, not connected.
    ///
    /// - Throws: ``ProbeFault`` from the stage of setting up.
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
            if let source = origin.source {
                let name = SocketAddress(source, scope: scope)
                try systemCall("bind \(source)") {
                    unsafe name.withPointer { unsafe bind(descriptor.number, $0, $1) }
                }
            }
            // ICMP errors other than "port unreachable" are reported to no datagram socket without it, and of a connection
            // only the `errno` is, which many of them share.
            do throws(SystemError) {
                try setReportsErrors(true)
            } catch {
                // Some sandboxes' kernels do not have it for connections, which can do without the details.
                guard type != SOCK_DGRAM else { throw error }
            }
        } catch {
            throw ProbeFault(error, at: .setup)
        }
    }

    private static func apply(_ origin: ProbeOrigin, to descriptor: OwnedDescriptor) throws(SystemError) {
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

    /// Lets the kernel handle ICMP errors as it does for every connection that stands: a router that has no route for a
    /// moment ends none (RFC 1122, section 4.2.3.9), and none of its errors waits to be read.
    func endErrorReports() {
        // The socket took the same option when it was made; without success errors only end the connection sooner.
        try? setReportsErrors(false)
    }

    /// Sets an option that is an `int`.
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
    /// - Returns: Whether it is done already; otherwise the socket becomes writable when it is.
    func connect() throws(ProbeFault) -> Bool { try connect(isFirst: true) }

    private func connect(isFirst: Bool) throws(ProbeFault) -> Bool {
        do throws(SystemError) {
            try systemCall("connect") { unsafe peer.withPointer { unsafe Glibc.connect(descriptor.number, $0, $1) } }
            return true
        } catch {
            guard error.code != EINPROGRESS, error.code != EALREADY else {
                // On this machine the handshake is over by now, and a second look is cheaper than to wait for it.
                return try isFirst ? connect(isFirst: false) : false
            }
            // EAGAIN: every local port towards this peer is in use.
            if error.code == EAGAIN { throw ProbeFault(reason: .outOfPorts, detail: error.description) }
            throw fault(error)
        }
    }

    /// Throws what the connection came to, when it is an error.
    func checkError(_ operation: String) throws(ProbeFault) {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &size)
        let queued = packetError()
        // An error that the connection survived waits in the queue as well.
        let number = code == 0 && !isConnected ? queued?.systemError ?? 0 : code
        guard number != 0 else { return }
        let words = SystemError(code: number, operation: operation).description
        throw ProbeFault(queued ?? PacketError(systemError: number), words)
    }

    /// The newest ICMP error that waits in the socket's error queue, which is empty then; nil without one.
    func packetError() -> PacketError? {
        var newest: PacketError?
        var buffer = [UInt8](repeating: 0, count: 64)
        for _ in 0..<64 {
            guard let entry = SocketMessage.receive(&buffer, on: descriptor, flags: Int32(MSG_ERRQUEUE)) else { break }
            guard let message = entry.error else { continue }
            newest = PacketError(systemError: entry.errorNumber, message: message, local: localAddress, peer: address)
        }
        return newest
    }

    /// What a system call came to that sends or receives, with the ICMP error behind it.
    private func fault(_ error: SystemError) -> ProbeFault {
        ProbeFault(packetError() ?? PacketError(systemError: error.code), error.description)
    }

    private var isConnected: Bool {
        unsafe readAddress { unsafe getpeername(descriptor.number, $0, $1) } != nil
    }

    private var localAddress: IPAddress? {
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

    /// Sends what the kernel takes.
    ///
    /// - Returns: How many bytes, or that it takes none now.
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

    /// Receives at most so many bytes; none is the peer's end of a connection, or an empty datagram.
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

/// Where a probe's packets leave from.
struct ProbeOrigin: Hashable {
    var source: IPAddress?
    var interface: String?
    var mark: UInt32?

    /// The index of the interface to send to an address through, 0 for any.
    ///
    /// - Throws: ``ProbeFault`` when there is no such interface, the source is of the other family, or the address means
    ///   nothing without an interface.
    func scope(for address: IPAddress) throws(ProbeFault) -> UInt32 {
        if let source, source.family != address.family {
            throw ProbeFault(reason: .invalidRequest, detail: "\(source) cannot send to \(address)")
        }
        guard let interface else {
            // The kernel would say EINVAL, as it does for a blackhole.
            guard address.family == .ipv4 || !address.isLinkLocal else {
                throw ProbeFault(reason: .invalidRequest, detail: "\(address) needs an interface to be sent through")
            }
            return 0
        }
        let index = unsafe if_nametoindex(interface)
        guard index != 0 else {
            throw ProbeFault(reason: .interfaceNotFound, detail: "there is no interface \(interface)")
        }
        return index
    }
}

/// Counts what an attempt receives from the network, below every protocol, and says when it is too much. On the loop's
/// thread.
///
/// A deadline bounds a peer in time, this in bytes: what a parser, a decoder or OpenSSL passes over in silence (chunk
/// extensions, empty frames, session tickets, messages for others) counts as what is kept does.
final class ReceiveMeter {
    /// What a handshake, headers and framing may need.
    static let overhead = 1 << 20
    /// How many bytes on the wire a byte of content may need, in small chunks, frames and TLS records.
    static let expansion = 4

    /// The most bytes that are received.
    let limit: Int
    /// How many were received so far.
    private(set) var received = 0

    /// A meter for an attempt that keeps at most so many bytes of content.
    init(content: Int) {
        limit = min(content, .max / (2 * Self.expansion)) * Self.expansion + Self.overhead
    }

    /// Adds bytes that were received.
    func add(_ count: Int) {
        received += count
    }

    /// Whether more was received than is allowed.
    var isExceeded: Bool { received > limit }

    /// The beginning of a sentence: `…, and its response has not ended`.
    var words: String { "the peer sent more than \(limit) bytes" }
}
