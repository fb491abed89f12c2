// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import Glibc
import LinuxIO

/// `ntp`: a client's request to a time server, and its reply (RFC 5905).
///
/// A random number replaces the client's timestamp, so that unsolicited replies are recognised. Arrivals use the
/// kernel's timestamps: the delay of the loop does not affect the offset.
final class NTPProbe: ProbeAttempt {
    private let settings: NTPProbeSettings
    private let progress: AttemptProgress
    private let meter = ReceiveMeter(content: 0)
    private var socket: ProbeSocket?
    /// The requests, each with its departure time.
    private var requests: [(nonce: UInt64, sent: NTPTime)] = []
    private var strangers = 0
    private var buffer = [UInt8](repeating: 0, count: 512)

    init(_ settings: NTPProbeSettings, _ context: AttemptContext) {
        self.settings = settings
        progress = AttemptProgress(context)
    }

    func start() {
        attempt { () throws(ProbeFault) in
            let context = progress.context
            let socket = try ProbeSocket(SOCK_DGRAM, to: context.address, port: settings.port, from: context.origin)
            self.socket = socket
            // Optional: without it the time of reading is used.
            try? ProbeSocket.set(socket.descriptor, SOL_SOCKET, SocketMessage.timestamp, 1, "SO_TIMESTAMPNS")
            _ = try socket.connect()
            try progress.wait(on: socket, for: .readable) { [weak self] _ in self?.readable() }
            try send()
            // A datagram may be lost.
            let now = progress.loop.clock.now()
            let third = (max(context.deadline, now) - now) / 3
            for part in [now + third, now + 2 * third] {
                progress.schedule(at: part) { [weak self] in
                    self?.attempt { () throws(ProbeFault) in try self?.send() }
                }
            }
        }
    }

    func expire() {
        let passedOver = strangers == 0 ? "" : ", ignored \(strangers) messages for other requests"
        fail(ProbeFault(reason: .timeout, detail: "no reply in time" + passedOver))
    }

    func cancel() {
        progress.end()
        socket = nil
    }

    func fail(_ fault: ProbeFault) {
        progress.stopWaiting()
        socket = nil
        progress.fail(fault)
    }

    private func send() throws(ProbeFault) {
        guard let socket else { return }
        let nonce = UInt64.random(in: 1...UInt64.max)
        requests.append((nonce, Self.now()))
        _ = try socket.send(NTPMessage.request(nonce: nonce)[...])
    }

    private func readable() {
        attempt { () throws(ProbeFault) in
            // A few per turn, so that a flood does not starve other probes.
            for _ in 0..<8 {
                guard let socket, !progress.isOver else { return }
                guard let message = SocketMessage.receive(&buffer, on: socket.descriptor, flags: 0) else {
                    // recvmsg(2) cleared the socket's error, but the error queue still has it.
                    guard let error = socket.packetError() else { return }
                    throw ProbeFault(error, SystemError(code: error.systemError, operation: "recv").description)
                }
                try take(
                    Array(buffer[..<message.count]),
                    at: message.time.map { NTPTime(nanoseconds: $0) } ?? Self.now()
                )
            }
        }
    }

    private func take(_ bytes: [UInt8], at arrival: NTPTime) throws(ProbeFault) {
        meter.add(bytes.count)
        guard !meter.isExceeded else {
            throw ProbeFault(
                reason: .malformedResponse,
                detail: "\(meter.words), \(strangers) messages for other requests"
            )
        }
        let (reading, index) = NTPMessage.read(bytes, nonces: requests.map(\.nonce))
        switch reading {
        case .forAnother:
            strangers += 1
        case .malformed(let what):
            progress.isAnswered = true
            throw ProbeFault(reason: .malformedResponse, detail: what)
        case .reply(let message):
            progress.isAnswered = true
            progress.endPhase(.request)
            progress.stopWaiting()
            socket = nil
            let answer = NTPAnswer(message, sent: requests[index].sent, received: arrival)
            let fault = settings.fault(of: message, answer)
            let detail = fault?.detail ?? answer.summary(\.milliseconds)
            progress.finish(fault == nil ? .success : .failure, fault?.reason, detail) { result in
                // A server that sends a kiss code reports no time.
                if message.kissCode == nil { result.answers = ProbeAnswers([answer]) }
            }
        }
    }

    /// Returns the current wall-clock time, which the server's is compared with.
    private static func now() -> NTPTime {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return NTPTime(nanoseconds: UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(max(0, time.tv_nsec)))
    }
}
