// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import Glibc
import LinuxIO

/// A family's ICMP socket: a datagram socket if the process's group is permitted, otherwise a raw one.
///
/// Replies are matched by sequence number, address and the first bytes of the data, on a raw socket also by the run's
/// identifier; on a datagram socket the kernel sets and matches that. On the loop's thread.
final class EchoSocket {
    /// Whether it is a raw socket.
    let isRaw: Bool

    private struct Pending {
        let packet: EchoPacket
        let sent: PacketTime
        let handler: (UInt16, EchoEvent) -> Void
    }

    private let family: AddressFamily
    private let loop: EventLoop
    private let descriptor: OwnedDescriptor
    private var watch: WatchToken?
    private var pending: [UInt16: Pending] = [:]
    private var lastSequence = UInt16.random(in: 0...UInt16.max)
    private var discovery: Int32?
    private var sentSinceRead = 0
    /// Fits the used parts of a message: headers, the run's random bytes, an error's quote. The rest is truncated.
    private var buffer = [UInt8](repeating: 0, count: 576)

    init(_ family: AddressFamily, loop: EventLoop) throws(ProbeFault) {
        self.family = family
        self.loop = loop
        (descriptor, isRaw) = try EchoSocketOptions.openSocket(family)
        do throws(SystemError) {
            watch = try loop.watch(descriptor.number, for: .readable) { [weak self] _ in self?.drain(256) }
        } catch {
            throw ProbeFault(error, at: .setup)
        }
    }

    /// Ends the watch; the descriptor is closed with the object.
    func close() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        pending = [:]
    }

    /// Sends a request.
    ///
    /// - Parameter handler: Receives the sequence number and the reply or error, at most once.
    /// - Returns: The sequence number for ``forget(_:)``; nil when the socket's send buffer is full.
    func send(_ packet: EchoPacket, handler: @escaping (UInt16, EchoEvent) -> Void) throws(ProbeFault) -> UInt16? {
        // A burst to nearby hosts would overflow the receive buffer before the loop's next turn.
        sentSinceRead += 1
        if sentSinceRead >= 64 { drain(256) }
        guard let sequence = freeSequence() else {
            throw ProbeFault(reason: .outOfPorts, detail: "65,536 echo requests are in flight")
        }
        let bytes = ICMPMessage.request(
            family,
            identifier: packet.identifier,
            sequence: sequence,
            data: packet.data
        )
        let scope = try packet.origin.scope(for: packet.address)
        let control = EchoSocketOptions.control(for: packet, interface: scope)
        let target = SocketAddress(packet.address, scope: scope)
        do throws(SystemError) {
            try setDiscovery(packet.dontFragment ? IP_PMTUDISC_DO : IP_PMTUDISC_WANT)
            // On a datagram socket, send may return an error about an earlier request: drain it and retry.
            for attempt in 1...8 {
                let time = PacketTime.now()
                do throws(SystemError) {
                    let result = try EchoSocketOptions.send(bytes, to: target, control: control, on: descriptor)
                    guard case .done = result else { return nil }
                    pending[sequence] = Pending(packet: packet, sent: time, handler: handler)
                    return sequence
                } catch {
                    // EPERM always concerns this packet: the kernel refuses to send it.
                    guard error.code != EPERM, !isRaw, attempt < 8, drainErrors() > 0 else { throw error }
                }
            }
            return nil
        } catch {
            if packet.origin.mark != nil, error.code == EPERM {
                throw ProbeFault(reason: .permissionDenied, detail: "cannot mark packets: \(error)")
            }
            throw ProbeFault(error, at: .transfer)
        }
    }

    /// Processes replies that have arrived but were not read before the deadline.
    func catchUp() {
        drain(4_096)
    }

    /// Stops events for a request.
    func forget(_ sequence: UInt16) {
        pending[sequence] = nil
    }

    private func freeSequence() -> UInt16? {
        guard pending.count <= Int(UInt16.max) else { return nil }
        repeat { lastSequence &+= 1 } while pending[lastSequence] != nil
        return lastSequence
    }

    private func setDiscovery(_ value: Int32) throws(SystemError) {
        guard discovery != value else { return }
        try ProbeSocket.set(
            descriptor,
            family == .ipv4 ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6),
            family == .ipv4 ? IP_MTU_DISCOVER : IPV6_MTU_DISCOVER,
            value,
            "IP_MTU_DISCOVER"
        )
        discovery = value
    }

    // MARK: Receiving

    /// Reads pending messages, up to the limit.
    private func drain(_ limit: Int) {
        sentSinceRead = 0
        drainErrors()
        for _ in 0..<limit {
            // An error returned here is also in the error queue.
            guard let message = SocketMessage.receive(&buffer, on: descriptor, flags: 0) else { return }
            take(message)
        }
    }

    @discardableResult
    private func drainErrors() -> Int {
        guard !isRaw else { return 0 }
        var count = 0
        while count < 256,
            let message = SocketMessage.receive(&buffer, on: descriptor, flags: Int32(MSG_ERRQUEUE))
        {
            count += 1
            guard let error = message.error, message.count >= ICMPMessage.headerSize,
                ICMPMessage.reason(type: error.type, code: error.code, family) != nil
            else { continue }
            // The message starts with the quoted request's ICMP header; the address is the request's destination.
            let sequence = UInt16(buffer[6]) << 8 | UInt16(buffer[7])
            guard let request = pending[sequence], request.packet.address == message.address else { continue }
            end(sequence, with: error, message.errorNumber, at: message.localAddress)
        }
        return count
    }

    private func take(_ message: SocketMessage) {
        var bytes = buffer[..<message.count]
        if isRaw, family == .ipv4 {
            guard let payload = ICMPMessage.payload(ofIPv4: bytes) else { return }
            bytes = payload
        }
        switch ICMPMessage.parse(bytes, family) {
        case nil: return
        case .error(let type, let code, let identifier, let sequence):
            // Raw socket only: the destination is in the quote, and the random identifier has matched it.
            guard isRaw, let request = pending[sequence], request.packet.identifier == identifier else { return }
            let error = PacketError.Message(
                family: family,
                type: type,
                code: code,
                offender: message.address,
                hopLimit: message.hopLimit
            )
            end(sequence, with: error, EHOSTUNREACH, at: message.localAddress)
        case .reply(let identifier, let sequence, let data):
            guard let request = pending[sequence], request.packet.address == message.address,
                !isRaw || request.packet.identifier == identifier,
                data.prefix(8).elementsEqual(request.packet.data.prefix(8))
            else { return }
            end(sequence, .reply(request.sent.roundTrip(kernelTime: message.time), hopLimit: message.hopLimit))
        }
    }

    private func end(
        _ sequence: UInt16,
        with error: PacketError.Message,
        _ systemError: Int32,
        at local: IPAddress?
    ) {
        guard let peer = pending[sequence]?.packet.address else { return }
        let error = PacketError(systemError: systemError, message: error, local: local, peer: peer)
        end(sequence, .error(error))
    }

    private func end(_ sequence: UInt16, _ event: EchoEvent) {
        guard let request = pending.removeValue(forKey: sequence) else { return }
        request.handler(sequence, event)
    }
}

/// The send time of a packet by both clocks: the kernel stamps arrivals with the settable wall clock.
struct PacketTime {
    private let real: UInt64
    private let monotonic: UInt64

    init(real: UInt64, monotonic: UInt64) {
        self.real = real
        self.monotonic = monotonic
    }

    static func now() -> PacketTime {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return PacketTime(
            real: UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec),
            monotonic: SystemMonotonicClock().now()
        )
    }

    /// Returns the round trip in nanoseconds, up to the kernel's arrival time.
    ///
    /// - Parameters:
    ///   - kernelTime: The arrival by the wall clock; nil when the kernel did not report it.
    ///   - now: The present. A negative round trip, or one that ends after `now`, means that the wall clock was set;
    ///     the time until `now` is then the best estimate.
    func roundTrip(kernelTime: UInt64?, now: PacketTime = .now()) -> UInt64 {
        let bound = now.monotonic - monotonic
        guard let kernelTime, kernelTime >= real, kernelTime - real <= bound else { return bound }
        return kernelTime - real
    }
}
