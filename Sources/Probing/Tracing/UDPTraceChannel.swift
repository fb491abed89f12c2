// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import Glibc
import LinuxIO

/// Datagrams from one connected socket, so that all have the same addresses and ports. On the loop's thread.
///
/// The kernel queues only errors that quote these addresses and ports; the quoted data names the packet.
final class UDPTraceChannel: TraceChannel {
    var handler: (TraceAnswer, TraceProbe?) -> Void = { _, _ in }

    private let request: TraceRequest
    private let loop: EventLoop
    private let socket: TraceSocket
    private let local: IPAddress?
    private let nonce = UInt64.random(in: 0 ... .max)
    private var sent: [TraceProbe: (payload: TracePayload, time: PacketTime)] = [:]
    private var watch: WatchToken?
    private var buffer = [UInt8](repeating: 0, count: TraceSocket.bufferSize)

    init(_ request: TraceRequest, loop: EventLoop) throws(ProbeFault) {
        self.request = request
        self.loop = loop
        socket = try TraceSocket(SOCK_DGRAM, for: request)
        do throws(SystemError) {
            try socket.connect()
        } catch {
            throw ProbeFault(error, at: .transfer)
        }
        local = socket.local?.address
        do throws(SystemError) {
            watch = try loop.watch(socket.descriptor.number, for: .readable) { [weak self] _ in self?.read() }
        } catch {
            throw ProbeFault(error, at: .setup)
        }
    }

    func send(_ probe: TraceProbe) throws(ProbeFault) {
        let payload = TracePayload(probe, nonce: nonce, random: .random(in: 0 ... .max))
        do throws(ProbeFault) {
            try socket.send(payload.bytes, timeToLive: probe.hop, readErrors: readErrors) {
                sent[probe] = (payload, .now())
            }
        } catch {
            sent[probe] = nil
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
            // The socket is connected: the sender is the destination.
            take(buffer[..<message.count], message) { roundTrip in
                TraceAnswer(.reply, from: request.destination, roundTrip: roundTrip)
            }
        }
    }

    /// - Returns: The number of messages.
    @discardableResult
    private func readErrors() -> Int {
        var count = 0
        while count < TraceSocket.batch, watch != nil,
            let message = SocketMessage.receive(&buffer, on: socket.descriptor, flags: Int32(MSG_ERRQUEUE))
        {
            count += 1
            let quoted = buffer[..<message.count]
            // The kernel strips the IP and UDP headers.
            let stripped = (request.destination.family == .ipv4 ? 20 : 40) + 8
            take(quoted, message) { roundTrip in
                socket.answer(message, quoted, stripped: stripped, local: local, roundTrip: roundTrip)
            }
        }
        return count
    }

    /// Reports an answer unless it names a packet that was not sent.
    private func take(_ data: ArraySlice<UInt8>, _ message: SocketMessage, _ answer: (UInt64?) -> TraceAnswer?) {
        let named = TracePayload.probe(in: data)
        let packet = named.flatMap { sent[$0] }
        switch TraceQuote.compare(data, with: packet?.payload.bytes, minimum: TracePayload.minimum) {
        case .same:
            guard let named, let packet, let answer = answer(packet.time.roundTrip(kernelTime: message.time)) else {
                return
            }
            handler(answer, named)
        case .missing:
            if let answer = answer(nil) { handler(answer, nil) }
        case .different:
            // A reply with other data is that of a service; an error with other data quotes another packet.
            guard message.error == nil, let answer = answer(nil) else { return }
            handler(answer, nil)
        }
    }

    func close() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        handler = { _, _ in }
    }
}
