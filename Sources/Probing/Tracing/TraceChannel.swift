// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import Glibc
import LinuxIO

/// Sends the packets of one trace and matches the answers. On the loop's thread.
protocol TraceChannel: AnyObject {
    /// Receives each answer and its packet; nil when it does not name one. Possibly called from inside ``send(_:)``.
    var handler: (TraceAnswer, TraceProbe?) -> Void { get set }

    /// Sends a packet. A full send buffer counts as a lost packet.
    ///
    /// - Throws: ``ProbeFault`` when this machine cannot send it.
    func send(_ probe: TraceProbe) throws(ProbeFault)

    /// Releases what waits for the answer to a packet.
    func giveUp(_ probe: TraceProbe)

    /// Reads what has arrived, at most ``TraceSocket/batch`` messages for each descriptor.
    func read()

    /// Closes everything; the handler is not called afterwards.
    func close()
}

/// A socket for packets of a trace: bound, marked, with ICMP errors in its error queue.
struct TraceSocket {
    /// The maximum number of messages that one call reads from a descriptor.
    static let batch = 64
    /// Fits an error with its quote and extensions (RFC 4884); longer ones are truncated.
    static let bufferSize = 1_280

    // Constants that Swift's Glibc module, or an older one, lacks.
    private static let errorExtensions: (ipv4: Int32, ipv6: Int32) = (26, 31)  // IP_RECVERR_RFC4884
    private static let automaticFlowLabel: Int32 = 70  // IPV6_AUTOFLOWLABEL

    let descriptor: OwnedDescriptor
    /// The destination.
    let peer: SocketAddress
    let destination: IPAddress

    /// Opens a socket.
    ///
    /// - Parameter localPort: A port to share with the trace's other sockets; nil to not bind one.
    /// - Throws: ``ProbeFault`` of the setup stage.
    init(_ type: __socket_type, for request: TraceRequest, localPort: UInt16? = nil) throws(ProbeFault) {
        let flags = Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor: OwnedDescriptor
        do throws(SystemError) {
            descriptor = OwnedDescriptor(
                owning: try systemCall("socket") { socket(Int32(request.destination.family.rawValue), flags, 0) }
            )
            try Self.setOption(descriptor, request.destination.family, (IP_RECVERR, IPV6_RECVERR), 1)
            try ProbeSocket.set(descriptor, SOL_SOCKET, SocketMessage.timestamp, 1, "SO_TIMESTAMPNS")
        } catch {
            throw ProbeFault(error, at: .setup)
        }
        try self.init(owning: descriptor, for: request, localPort: localPort)
    }

    /// Binds and marks an open socket.
    init(
        owning descriptor: OwnedDescriptor,
        for request: TraceRequest,
        localPort: UInt16? = nil
    ) throws(ProbeFault) {
        let origin = request.origin
        destination = request.destination
        let scope = try origin.scope(for: destination)
        peer = SocketAddress(destination, port: request.method.port ?? 0, scope: scope)
        self.descriptor = descriptor
        do throws(SystemError) {
            try ProbeSocket.apply(origin, to: descriptor)
            if localPort != nil { try ProbeSocket.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR") }
            if origin.source != nil || localPort != nil {
                let unspecified =
                    destination.family == .ipv4 ? IPAddress(ipv4: 0) : IPAddress(ipv6High: 0, low: 0)
                let source = origin.source ?? unspecified
                let name = SocketAddress(source, port: localPort ?? 0, scope: source.isLinkLocal ? scope : 0)
                try systemCall("bind \(source)") {
                    unsafe name.withPointer { unsafe bind(descriptor.number, $0, $1) }
                }
            }
        } catch {
            throw ProbeFault(error, at: .setup)
        }
        // Without them, labels are missing on kernels before 5.9, errors do not tell how far their sender is, or packets of one flow may
        // differ in their label.
        try? Self.setOption(descriptor, destination.family, Self.errorExtensions, 1)
        try? Self.setOption(descriptor, destination.family, (IP_RECVTTL, IPV6_RECVHOPLIMIT), 1)
        if destination.family == .ipv6 {
            try? ProbeSocket.set(descriptor, Int32(IPPROTO_IPV6), Self.automaticFlowLabel, 0, "IPV6_AUTOFLOWLABEL")
        }
    }

    /// Sets the TTL (hop limit) of all packets.
    func setTimeToLive(_ value: Int) throws(SystemError) {
        try Self.setOption(descriptor, destination.family, (IP_TTL, IPV6_UNICAST_HOPS), Int32(value))
    }

    private static func setOption(
        _ descriptor: OwnedDescriptor,
        _ family: AddressFamily,
        _ option: (ipv4: Int32, ipv6: Int32),
        _ value: Int32
    ) throws(SystemError) {
        let isIPv4 = family == .ipv4
        try ProbeSocket.set(
            descriptor,
            isIPv4 ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6),
            isIPv4 ? option.ipv4 : option.ipv6,
            value,
            "IP option \(isIPv4 ? option.ipv4 : option.ipv6)"
        )
    }

    /// Connects; for datagrams only chooses the source address.
    func connect() throws(SystemError) {
        try systemCall("connect") { unsafe peer.withPointer { unsafe Glibc.connect(descriptor.number, $0, $1) } }
    }

    /// Sends a packet.
    ///
    /// The call on a datagram socket may return the error of an earlier packet; it is then repeated. In a flood of such
    /// errors the packet counts as lost.
    ///
    /// - Parameters:
    ///   - timeToLive: The packet's TTL (hop limit).
    ///   - readErrors: Reads the error queue and returns the number of messages; 0 for a raw socket.
    ///   - begin: Called before each attempt, to note its time.
    /// - Throws: ``ProbeFault`` when this machine cannot send it.
    func send(
        _ bytes: [UInt8],
        timeToLive: Int,
        readErrors: () -> Int,
        begin: () -> Void
    ) throws(ProbeFault) {
        let control = control(timeToLive: timeToLive)
        for _ in 1...8 {
            begin()
            do throws(SystemError) {
                _ = try EchoSocketOptions.send(bytes, to: peer, control: control, on: descriptor)
                return
            } catch {
                // EPERM always concerns this packet: the kernel refuses to send it.
                guard error.code != EPERM, readErrors() > 0 else { throw ProbeFault(error, at: .transfer) }
            }
        }
    }

    /// The control message with a packet's TTL (hop limit).
    private func control(timeToLive: Int) -> [UInt8] {
        let isIPv4 = destination.family == .ipv4
        var messages = ControlMessages()
        messages.append(
            level: isIPv4 ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6),
            type: isIPv4 ? IP_TTL : IPV6_HOPLIMIT,
            Int32(timeToLive)
        )
        return messages.bytes
    }

    /// The socket's own address and port.
    var local: (address: IPAddress, port: UInt16)? {
        var name = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutableBytes(of: &name) { bytes in
            guard let base = bytes.baseAddress,
                unsafe getsockname(descriptor.number, base.assumingMemoryBound(to: sockaddr.self), &size) == 0,
                let address = unsafe SocketAddress.address(
                    in: UnsafeRawBufferPointer(rebasing: bytes[..<min(Int(size), bytes.count)])
                )
            else { return nil }
            return (address, UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        }
    }

    /// Returns the answer of an error queue's message; nil when it is not about a packet of the trace.
    ///
    /// - Parameters:
    ///   - bytes: The quoted packet behind the headers that the kernel strips.
    ///   - stripped: The length of these headers.
    func answer(
        _ message: SocketMessage,
        _ bytes: ArraySlice<UInt8>,
        stripped: Int,
        local: IPAddress?,
        roundTrip: UInt64?
    ) -> TraceAnswer? {
        // The address is the quoted packet's destination.
        guard let error = message.error, message.address == destination else { return nil }
        return TraceAnswer(
            error,
            systemError: message.errorNumber,
            local: local,
            destination: destination,
            roundTrip: roundTrip,
            labels: ICMPExtensions.labels(behind: bytes, quote: message.extensions, stripped: stripped)
        )
    }
}
