// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import Glibc
import LinuxIO

/// `dns`: a query to one name server, over TCP or over UDP with TCP as the fallback for truncated responses.
///
/// Does not use c-ares, which queries its configured servers and hides which of them answered. Datagrams with a wrong
/// identifier or name are ignored: anybody can send one.
final class DNSProbe: ProbeAttempt {
    private let settings: DNSProbeSettings
    private let progress: AttemptProgress
    private var socket: ProbeSocket?
    private var question: DNSQuestion?
    private var isTCP: Bool
    private var isConnected = false
    private var outgoing: ArraySlice<UInt8> = []
    private var received: [UInt8] = []
    private var strangers = 0
    private let meter = ReceiveMeter(content: 0)

    init(_ settings: DNSProbeSettings, _ context: AttemptContext) {
        self.settings = settings
        progress = AttemptProgress(context)
        isTCP = settings.transport == .tcp
    }

    func start() {
        attempt { () throws(ProbeFault) in
            guard
                let question = DNSQuestion(
                    id: UInt16.random(in: 0...UInt16.max),
                    name: settings.name,
                    type: settings.type,
                    recordClass: settings.recordClass,
                    recursionDesired: settings.recursionDesired
                )
            else {
                let name = PrintableBytes.quote(settings.name.utf8)
                throw ProbeFault(reason: .invalidRequest, detail: "\(name) is not a valid DNS name")
            }
            self.question = question
            try open()
            if !isTCP { try planRepeats() }
        }
    }

    func expire() {
        let passedOver = strangers == 0 ? "" : ", ignored \(strangers) messages for other questions"
        let state = isTCP && !isConnected ? "no connection in time" : "no answer in time"
        end(.failure, .timeout, state + passedOver)
    }

    func cancel() {
        progress.end()
        socket = nil
    }

    // MARK: Sending

    private func open() throws(ProbeFault) {
        let context = progress.context
        let socket = try ProbeSocket(
            isTCP ? SOCK_STREAM : SOCK_DGRAM,
            to: context.address,
            port: settings.port,
            from: context.origin
        )
        self.socket = socket
        if try socket.connect() {
            try connected()
        } else {
            try progress.wait(on: socket, for: .writable) { [weak self] _ in self?.ready() }
        }
    }

    private func connected() throws(ProbeFault) {
        isConnected = true
        guard let socket, let question else { return }
        if isTCP {
            socket.endErrorReports()
            progress.endPhase(.connect)
            let size = UInt16(question.bytes.count)
            outgoing = [UInt8(size >> 8), UInt8(size & 0xFF)] + question.bytes
        } else {
            outgoing = question.bytes[...]
        }
        try progress.wait(on: socket, for: .readable) { [weak self] _ in self?.ready() }
        try send(socket)
    }

    private func send(_ socket: ProbeSocket) throws(ProbeFault) {
        while !outgoing.isEmpty {
            guard case .done(let count) = try socket.send(outgoing) else { break }
            outgoing.removeFirst(count)
        }
        let events: EventLoop.Events = outgoing.isEmpty ? .readable : [.readable, .writable]
        try progress.wait(on: socket, for: events) { [weak self] _ in self?.ready() }
    }

    /// Schedules retransmissions after a third and two thirds of the time: a datagram may be lost.
    private func planRepeats() throws(ProbeFault) {
        let now = progress.loop.clock.now()
        let third = (max(progress.context.deadline, now) - now) / 3
        for part in [now + third, now + 2 * third] {
            progress.schedule(at: part) { [weak self] in
                guard let self, !isTCP, let socket, let question else { return }
                attempt { () throws(ProbeFault) in _ = try socket.send(question.bytes[...]) }
            }
        }
    }

    // MARK: Receiving

    private func ready() {
        attempt { () throws(ProbeFault) in
            guard let socket else { return }
            guard isConnected else {
                try socket.checkError("connect")
                return try connected()
            }
            if !outgoing.isEmpty { try send(socket) }
            if isTCP { try receiveStream(socket) } else { try receiveDatagrams(socket) }
        }
    }

    private func receiveDatagrams(_ socket: ProbeSocket) throws(ProbeFault) {
        // A few per turn, so that a flood does not starve other probes.
        for _ in 0..<8 {
            guard !progress.isOver, !isTCP, case .done(let bytes) = try socket.receive(4_096) else { return }
            try take(bytes)
        }
    }

    private func receiveStream(_ socket: ProbeSocket) throws(ProbeFault) {
        guard case .done(let bytes) = try socket.receive(16 << 10) else { return }
        guard !bytes.isEmpty else {
            throw ProbeFault(
                reason: .connectionClosed,
                detail: "the server closed the connection after \(received.count) bytes of an answer"
            )
        }
        received += bytes
        while received.count >= 2, !progress.isOver {
            let size = Int(received[0]) << 8 | Int(received[1])
            guard received.count >= 2 + size else { return }
            let message = Array(received[2..<(2 + size)])
            received.removeFirst(2 + size)
            try take(message)
        }
    }

    private func take(_ bytes: [UInt8]) throws(ProbeFault) {
        guard let question else { return }
        meter.add(bytes.count)
        guard !meter.isExceeded else {
            let detail = "\(meter.words), \(strangers) messages for other questions"
            throw ProbeFault(reason: .malformedResponse, detail: detail)
        }
        switch DNSMessage.parse(bytes, for: question) {
        case .forAnotherQuestion:
            strangers += 1
            // A stream has only one sender, so a wrong answer is an error.
            if isTCP { throw ProbeFault(reason: .malformedResponse, detail: "the answer is for another question") }
        case .malformed(let what):
            progress.isAnswered = true
            throw ProbeFault(reason: .malformedResponse, detail: what)
        case .truncated where !isTCP:
            progress.isAnswered = true
            progress.stopWaiting()
            socket = nil
            isTCP = true
            isConnected = false
            try open()
        case .truncated:
            progress.isAnswered = true
            throw ProbeFault(reason: .malformedResponse, detail: "the answer over TCP is truncated")
        case .answer(let answer):
            progress.isAnswered = true
            progress.endPhase(.request)
            let fault = DNSExpectation.fault(in: answer, for: settings)
            end(fault == nil ? .success : .failure, fault?.reason, fault?.detail ?? answer.summary, answer)
        }
    }

    private func end(_ outcome: ProbeOutcome, _ reason: ProbeReason?, _ detail: String, _ answer: DNSAnswer? = nil) {
        progress.stopWaiting()
        socket = nil
        progress.finish(outcome, reason, detail) { $0.answers = ProbeAnswers(answer.map { [$0] } ?? []) }
    }

    func fail(_ fault: ProbeFault) {
        progress.stopWaiting()
        socket = nil
        progress.fail(fault)
    }
}
