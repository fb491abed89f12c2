// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import Glibc
import LinuxIO

/// Connections from one port, one after the other, so that all packets have the same addresses and ports. On the loop's
/// thread.
///
/// The kernel permits only one connection of the same addresses and ports: a packet that is sent while another waits
/// for its answer leaves from another port, and its answer is not of the main flow. The kernel matches an ICMP error by
/// these and by the quoted sequence number, so an answer to an earlier connection ends no later one.
final class TCPTraceChannel: TraceChannel {
    /// The maximum number of ports that are tried when another socket uses the same addresses and ports.
    private static let portLimit = 3

    var handler: (TraceAnswer, TraceProbe?) -> Void = { _, _ in }

    private struct Connection {
        let socket: TraceSocket
        let watch: WatchToken
        let time: PacketTime
        let isOfMainFlow: Bool
    }

    private let request: TraceRequest
    private let loop: EventLoop
    private let opened: ConnectionHandler?
    /// Keeps the port of the main flow while no connection uses it.
    private var holder: TraceSocket
    private var port: UInt16
    private var portsUsed = 1
    private var connections: [TraceProbe: Connection] = [:]
    private var buffer = [UInt8](repeating: 0, count: TraceSocket.bufferSize)

    init(_ request: TraceRequest, loop: EventLoop, opened: ConnectionHandler?) throws(ProbeFault) {
        self.request = request
        self.opened = opened
        self.loop = loop
        (holder, port) = try Self.reservePort(request)
    }

    private static func reservePort(_ request: TraceRequest) throws(ProbeFault) -> (TraceSocket, UInt16) {
        let holder = try TraceSocket(SOCK_STREAM, for: request, localPort: 0)
        guard let port = holder.local?.port, port != 0 else {
            throw ProbeFault(reason: .outOfPorts, detail: "the kernel assigned no port")
        }
        return (holder, port)
    }

    func send(_ probe: TraceProbe) throws(ProbeFault) {
        guard !connections.values.contains(where: \.isOfMainFlow) else {
            return try connect(probe, from: nil)
        }
        while true {
            do throws(ProbeFault) {
                return try connect(probe, from: port)
            } catch {
                // A connection of another socket, perhaps one that has just ended, has these addresses and ports.
                guard error.reason == .outOfPorts, portsUsed < Self.portLimit else { throw error }
                portsUsed += 1
                (holder, port) = try Self.reservePort(request)
            }
        }
    }

    private func connect(_ probe: TraceProbe, from port: UInt16?) throws(ProbeFault) {
        let socket = try TraceSocket(SOCK_STREAM, for: request, localPort: port)
        opened?(socket.descriptor.number)
        let isOfMainFlow = port != nil && portsUsed == 1
        do throws(SystemError) {
            try socket.setTimeToLive(probe.hop)
        } catch {
            throw ProbeFault(error, at: .setup)
        }
        let time = PacketTime.now()
        do throws(SystemError) {
            try socket.connect()
        } catch {
            // An ICMP error that has arrived already is in the error queue.
            guard error.code == EINPROGRESS else { throw ProbeFault(error, at: .transfer) }
        }
        do throws(SystemError) {
            let watch = try loop.watch(socket.descriptor.number, for: .writable) { [weak self] _ in
                self?.read(probe)
            }
            connections[probe] = Connection(socket: socket, watch: watch, time: time, isOfMainFlow: isOfMainFlow)
        } catch {
            throw ProbeFault(error, at: .setup)
        }
    }

    func giveUp(_ probe: TraceProbe) {
        guard let connection = connections.removeValue(forKey: probe) else { return }
        loop.unwatch(connection.watch)
        connection.socket.disconnect()
    }

    func read() {
        for probe in Array(connections.keys) { read(probe) }
    }

    private func read(_ probe: TraceProbe) {
        guard let answer = answer(to: probe) else { return }
        giveUp(probe)
        // The connection has ended: the handler may send the next packet from the same port.
        handler(answer, probe)
    }

    /// Returns the answer to a SYN; nil while there is none.
    private func answer(to probe: TraceProbe) -> TraceAnswer? {
        guard let connection = connections[probe] else { return nil }
        let socket = connection.socket
        // The kernel strips the IP header and quotes the TCP header.
        let stripped = request.destination.family == .ipv4 ? 20 : 40
        var answer: TraceAnswer?
        for _ in 0..<TraceSocket.batch {
            guard
                let message = SocketMessage.receive(&buffer, on: socket.descriptor, flags: Int32(MSG_ERRQUEUE))
            else { break }
            answer =
                answer
                ?? socket.answer(
                    message,
                    buffer[..<message.count],
                    stripped: stripped,
                    local: socket.local?.address,
                    roundTrip: connection.time.roundTrip(kernelTime: message.time)
                )
        }
        if answer == nil { answer = ownAnswer(connection) }
        answer?.isOfMainFlow = connection.isOfMainFlow
        return answer
    }

    /// Returns the destination's own answer.
    private func ownAnswer(_ connection: Connection) -> TraceAnswer? {
        let kind: TraceAnswer.Kind
        switch connection.socket.connectionState {
        case .connected: kind = .reply
        case .failed(ECONNREFUSED): kind = .reset
        case .pending, .failed: return nil
        }
        let roundTrip = connection.time.roundTrip(kernelTime: nil)
        return TraceAnswer(kind, from: request.destination, roundTrip: roundTrip)
    }

    func close() {
        handler = { _, _ in }
        for probe in Array(connections.keys) { giveUp(probe) }
    }
}

extension TraceSocket {
    enum ConnectionState {
        case pending
        case connected
        /// With the `errno`.
        case failed(Int32)
    }

    /// The state of a connection attempt; reading it clears the error.
    var connectionState: ConnectionState {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &size)
        guard code == 0 else { return .failed(code) }
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutableBytes(of: &name) { bytes in
            guard let base = bytes.baseAddress else { return Int32(-1) }
            return unsafe getpeername(descriptor.number, base.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return result == 0 ? .connected : .pending
    }

    /// Ends a connection at once; one that is established with a reset, so that no TIME_WAIT remains.
    ///
    /// Closing the descriptor is not enough for the next connection of the same addresses and ports: a child process
    /// that has been forked and not executed its program yet keeps the connection (connect(2), `AF_UNSPEC`).
    func disconnect() {
        var name = sockaddr()
        name.sa_family = sa_family_t(AF_UNSPEC)
        // Without a connection it fails, which makes no difference.
        _ = unsafe Glibc.connect(descriptor.number, &name, socklen_t(MemoryLayout<sockaddr>.size))
    }
}
