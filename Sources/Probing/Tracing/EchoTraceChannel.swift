// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import Glibc
import LinuxIO

/// Echo requests from one socket with one identifier and one checksum. On the loop's thread.
///
/// A datagram socket if the process's group is permitted, otherwise a raw one (icmp(7)). Sequence number, destination
/// and data name the packet, on a raw socket also the identifier; on a datagram socket the kernel sets and matches that.
final class EchoTraceChannel: TraceChannel {
    var handler: (TraceAnswer, TraceProbe?) -> Void = { _, _ in }
    /// Receives each packet that a router reports as too big for the next link.
    var tooBigHandler: (TraceProbe) -> Void = { _ in }
    /// The path MTU that the kernel uses for the destination, in bytes; 0 when it is unknown.
    let pathMTU: Int

    private let request: TraceRequest
    private let loop: EventLoop
    private let socket: TraceSocket
    private let isRaw: Bool
    private let local: IPAddress?
    private let identifier = UInt16.random(in: 0 ... .max)
    private let nonce = UInt64.random(in: 0 ... .max)
    private var lastSequence = UInt16.random(in: 0 ... .max)
    private var sent: [UInt16: Sent] = [:]
    private var watch: WatchToken?
    private var buffer: [UInt8]
    private var family: AddressFamily { request.destination.family }

    private struct Sent {
        let probe: TraceProbe
        let time: PacketTime
        /// The number of data bytes.
        let size: Int
    }

    /// - Parameter forbidsFragments: Whether packets may be up to ``pathMTU`` bytes long, and no router may fragment
    ///   them, whatever smaller path MTU the kernel learns.
    init(_ request: TraceRequest, loop: EventLoop, forbidsFragments: Bool = false) throws(ProbeFault) {
        self.request = request
        self.loop = loop
        let descriptor: OwnedDescriptor
        (descriptor, isRaw) = try EchoSocketOptions.openSocket(request.destination.family)
        socket = try TraceSocket(owning: descriptor, for: request)
        // A connected raw socket would receive the destination's messages only: a datagram socket finds the source.
        let connected = isRaw ? try TraceSocket(SOCK_DGRAM, for: request) : socket
        do throws(SystemError) {
            try connected.connect()
        } catch {
            throw ProbeFault(error, at: .transfer)
        }
        local = connected.local?.address
        pathMTU = connected.pathMTU
        buffer = [UInt8](repeating: 0, count: max(TraceSocket.bufferSize, forbidsFragments ? pathMTU : 0))
        do throws(SystemError) {
            if forbidsFragments { try socket.forbidFragments() }
            watch = try loop.watch(descriptor.number, for: .readable) { [weak self] _ in self?.read() }
        } catch {
            throw ProbeFault(error, at: .setup)
        }
    }

    func send(_ probe: TraceProbe) throws(ProbeFault) {
        try send(probe, size: TraceEchoData.size)
    }

    /// Sends a packet whose data is padded with zeros.
    ///
    /// - Parameter size: The number of data bytes, at least ``TraceEchoData/size``.
    func send(_ probe: TraceProbe, size: Int) throws(ProbeFault) {
        // At most 64 hops with ten packets each: no number occurs twice.
        lastSequence &+= 1
        let sequence = lastSequence
        let bytes = ICMPMessage.request(
            family,
            identifier: identifier,
            sequence: sequence,
            data: TraceEchoData.bytes(sequence: sequence, nonce: nonce)
                + [UInt8](repeating: 0, count: max(0, size - TraceEchoData.size))
        )
        do throws(ProbeFault) {
            try socket.send(bytes, timeToLive: probe.hop, readErrors: readErrors) {
                sent[sequence] = Sent(probe: probe, time: .now(), size: size)
            }
        } catch {
            sent[sequence] = nil
            throw error
        }
    }

    /// Late answers still count.
    func giveUp(_ probe: TraceProbe) {}

    func read() {
        readErrors()
        for _ in 0..<TraceSocket.batch {
            guard watch != nil,
                let message = SocketMessage.receive(&buffer, on: socket.descriptor, flags: 0)
            else { return }
            var bytes = buffer[..<message.count]
            if isRaw, family == .ipv4 {
                guard let payload = ICMPMessage.payload(ofIPv4: bytes) else { continue }
                bytes = payload
            }
            take(bytes, message)
        }
    }

    /// - Returns: The number of messages.
    @discardableResult
    private func readErrors() -> Int {
        guard !isRaw else { return 0 }
        var count = 0
        while count < TraceSocket.batch, watch != nil,
            let message = SocketMessage.receive(&buffer, on: socket.descriptor, flags: Int32(MSG_ERRQUEUE))
        {
            count += 1
            // The message starts with the quoted request's ICMP header: the kernel strips the IP header.
            let quoted = buffer[..<message.count]
            guard message.error != nil, quoted.count >= ICMPMessage.headerSize else { continue }
            let sequence = UInt16(quoted[6]) << 8 | UInt16(quoted[7])
            guard let packet = packet(sequence, quoting: quoted.dropFirst(ICMPMessage.headerSize)) else { continue }
            if let error = message.error, error.isTooBig {
                tooBigHandler(packet.probe)
                continue
            }
            guard
                let answer = socket.answer(
                    message,
                    quoted,
                    stripped: family == .ipv4 ? 20 : 40,
                    local: local,
                    roundTrip: packet.time.roundTrip(kernelTime: message.time)
                )
            else { continue }
            handler(answer, packet.probe)
        }
        return count
    }

    /// Takes a reply, or on a raw socket an error.
    private func take(_ bytes: ArraySlice<UInt8>, _ message: SocketMessage) {
        if case .reply(let identifier, let sequence, let data) = ICMPMessage.parse(bytes, family) {
            guard message.address == request.destination, !isRaw || identifier == self.identifier,
                data.starts(with: TraceEchoData.bytes(sequence: sequence, nonce: nonce)), let packet = sent[sequence],
                data.count == packet.size
            else { return }
            let roundTrip = packet.time.roundTrip(kernelTime: message.time)
            handler(TraceAnswer(.reply, from: request.destination, roundTrip: roundTrip), packet.probe)
            return
        }
        guard isRaw, let quote = EchoErrorQuote(bytes, family), quote.identifier == identifier,
            quote.destination == request.destination, let packet = packet(quote.sequence, quoting: quote.data)
        else { return }
        let error = PacketError.Message(
            family: family,
            type: quote.type,
            code: quote.code,
            offender: message.address,
            hopLimit: message.hopLimit
        )
        if error.isTooBig { return tooBigHandler(packet.probe) }
        let answer = TraceAnswer(
            error,
            systemError: EHOSTUNREACH,
            local: local,
            destination: request.destination,
            roundTrip: packet.time.roundTrip(kernelTime: message.time),
            labels: quote.labels
        )
        if let answer { handler(answer, packet.probe) }
    }

    /// Returns the packet with a sequence number, unless other data is quoted. Eight quoted bytes, the minimum, have no
    /// data but name the sequence number.
    private func packet(
        _ sequence: UInt16,
        quoting data: ArraySlice<UInt8>
    ) -> Sent? {
        let expected = TraceEchoData.bytes(sequence: sequence, nonce: nonce)
        guard TraceQuote.compare(data, with: expected, minimum: TraceEchoData.minimum) != .different else { return nil }
        return sent[sequence]
    }

    func close() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        handler = { _, _ in }
        tooBigHandler = { _ in }
    }
}

extension PacketError.Message {
    /// Whether a router reports that the packet does not fit the next link: "fragmentation needed", "packet too big".
    fileprivate var isTooBig: Bool { family == .ipv4 ? type == 3 && code == 4 : type == 2 }
}

extension TraceSocket {
    // Constants that Swift's Glibc module lacks: the options, and the value that forbids fragments and ignores what
    // the kernel learns of the path MTU (IP_PMTUDISC_PROBE).
    private static let discovery: (ipv4: Int32, ipv6: Int32) = (10, 23)  // IP_MTU_DISCOVER, IPV6_MTU_DISCOVER
    private static let mtu: (ipv4: Int32, ipv6: Int32) = (14, 24)  // IP_MTU, IPV6_MTU
    private static let doNotFragment: Int32 = 62  // IPV6_DONTFRAG
    private static let probe: Int32 = 3

    /// Has packets that are too big for a link dropped there, not fragmented.
    fileprivate func forbidFragments() throws(SystemError) {
        try set(Self.discovery, Self.probe, "IP_MTU_DISCOVER")
        guard destination.family == .ipv6 else { return }
        try ProbeSocket.set(descriptor, Int32(IPPROTO_IPV6), Self.doNotFragment, 1, "IPV6_DONTFRAG")
    }

    /// The path MTU of a connected socket, in bytes; 0 when it is unknown.
    fileprivate var pathMTU: Int {
        let isIPv4 = destination.family == .ipv4
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let level = isIPv4 ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6)
        let result = unsafe getsockopt(descriptor.number, level, isIPv4 ? Self.mtu.ipv4 : Self.mtu.ipv6, &value, &size)
        // Loopback has 65,536; echo data beyond that does not fit a packet.
        return result == 0 ? min(max(0, Int(value)), 65_535) : 0
    }

    private func set(_ option: (ipv4: Int32, ipv6: Int32), _ value: Int32, _ name: String) throws(SystemError) {
        let isIPv4 = destination.family == .ipv4
        let level = isIPv4 ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6)
        try ProbeSocket.set(descriptor, level, isIPv4 ? option.ipv4 : option.ipv6, value, name)
    }
}
