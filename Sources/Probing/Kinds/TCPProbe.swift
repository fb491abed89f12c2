// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import Glibc
import LinuxIO

/// `tcp`: a connection, and when there is a dialogue what is said on it.
///
/// At most 64 KiB of an answer are kept, and they are looked at once per arrival while they are few, then at most every
/// 10 ms: a peer that sends byte after byte costs it more than us.
final class TCPProbe: ProbeAttempt {
    static let receiveLimit = 64 << 10
    private static let promptScanLimit = 4 << 10
    private static let scanInterval: UInt64 = 10_000_000

    private let settings: TCPProbeSettings
    private let progress: AttemptProgress
    private var socket: ProbeSocket?
    private var isConnected = false
    private var steps: ArraySlice<DialogueStep>
    private var outgoing: ArraySlice<UInt8> = []
    private var received: [UInt8] = []
    private var hasEnded = false
    private var scanIsPlanned = false

    init(_ settings: TCPProbeSettings, _ context: AttemptContext) {
        self.settings = settings
        progress = AttemptProgress(context)
        steps = settings.dialogue[...]
    }

    func start() {
        attempt { () throws(ProbeFault) in
            let context = progress.context
            let socket = try ProbeSocket(SOCK_STREAM, to: context.address, port: settings.port, from: context.origin)
            self.socket = socket
            if try socket.connect() {
                try connected()
            } else {
                try progress.wait(on: socket, for: .writable) { [weak self] in self?.ready($0) }
            }
        }
    }

    func expire() {
        guard isConnected else { return fail(.timeout, "no connection in time") }
        switch steps.first {
        case .expect(let pattern) where !received.isEmpty:
            // What came since the last look; further steps have no time left.
            if steps.count == 1, pattern.matches(received) {
                steps = []
                return attempt { () throws(ProbeFault) in try advance() }
            }
            fail(.timeout, "no match in time in \(received.count) bytes: \(PrintableBytes.quote(received))")
        case .expect: fail(.timeout, "connected, and nothing was said in time")
        default: fail(.timeout, "connected, and the peer does not take what is sent")
        }
    }

    func cancel() {
        progress.end()
        socket = nil
    }

    private func ready(_ events: EventLoop.Events) {
        attempt { () throws(ProbeFault) in
            guard let socket else { return }
            guard isConnected else {
                try socket.checkError("connect")
                return try connected()
            }
            if events.contains(.readable), case .expect = steps.first { try receive(socket) }
            if !progress.isOver { try advance() }
        }
    }

    private func connected() throws(ProbeFault) {
        isConnected = true
        progress.isAnswered = true
        progress.endPhase(.connect)
        try advance()
    }

    /// Takes steps as far as they go now.
    private func advance() throws(ProbeFault) {
        guard let socket else { return }
        while true {
            if !outgoing.isEmpty {
                guard case .done(let count) = try socket.send(outgoing) else { return try wait(for: .writable) }
                outgoing.removeFirst(count)
                continue
            }
            switch steps.first {
            case nil:
                if !settings.dialogue.isEmpty { progress.endPhase(.request) }
                progress.stopWaiting()
                self.socket = nil
                return finish()
            case .send(let text):
                steps.removeFirst()
                received = []
                outgoing = Array(text.utf8)[...]
            case .expect(let pattern):
                // The end and the limit are looked at whatever the pace says: nothing will come after them.
                let isLast = hasEnded || received.count >= Self.receiveLimit
                if isLast || !received.isEmpty && !scanIsPlanned {
                    if pattern.matches(received) {
                        steps.removeFirst()
                        continue
                    }
                    if isLast { throw mismatch() }
                    if received.count >= Self.promptScanLimit { planScan() }
                }
                return try wait(for: .readable)
            }
        }
    }

    private func receive(_ socket: ProbeSocket) throws(ProbeFault) {
        // One read a turn: other probes are to have theirs.
        let room = min(16 << 10, Self.receiveLimit - received.count)
        guard room > 0, case .done(let bytes) = try socket.receive(room) else { return }
        if bytes.isEmpty { hasEnded = true }
        received += bytes
    }

    private func planScan() {
        scanIsPlanned = true
        progress.schedule(at: progress.loop.clock.now() + Self.scanInterval) { [weak self] in
            guard let self else { return }
            scanIsPlanned = false
            attempt { () throws(ProbeFault) in try advance() }
        }
    }

    private func wait(for events: EventLoop.Events) throws(ProbeFault) {
        guard let socket else { return }
        try progress.wait(on: socket, for: events) { [weak self] in self?.ready($0) }
    }

    private func mismatch() -> ProbeFault {
        guard !received.isEmpty else {
            return ProbeFault(reason: .connectionClosed, detail: "the peer closed the connection and said nothing")
        }
        let end = hasEnded ? "the peer closed the connection after" : "no match in"
        return ProbeFault(
            reason: .unexpectedResponse,
            detail: "\(end) \(received.count) bytes: \(PrintableBytes.quote(received))"
        )
    }

    private func finish() {
        let detail = settings.dialogue.isEmpty ? "connected" : "connected, and the dialogue went as expected"
        progress.finish(.success, nil, detail)
    }

    private func fail(_ reason: ProbeReason, _ detail: String) {
        progress.stopWaiting()
        socket = nil
        progress.fail(ProbeFault(reason: reason, detail: detail))
    }

    private func attempt(_ body: () throws(ProbeFault) -> Void) {
        do throws(ProbeFault) {
            try body()
        } catch {
            fail(error.reason, error.detail)
        }
    }
}
