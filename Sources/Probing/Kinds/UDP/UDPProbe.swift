// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import Glibc
import LinuxIO

/// `udp`: a datagram, and its reply.
///
/// The socket is connected: the kernel delivers only the peer's datagrams and ICMP errors about ours.
final class UDPProbe: ProbeAttempt {
    private let settings: UDPProbeSettings
    private let progress: AttemptProgress
    private var socket: ProbeSocket?

    init(_ settings: UDPProbeSettings, _ context: AttemptContext) {
        self.settings = settings
        progress = AttemptProgress(context)
    }

    func start() {
        attempt { () throws(ProbeFault) in
            let context = progress.context
            let socket = try ProbeSocket(SOCK_DGRAM, to: context.address, port: settings.port, from: context.origin)
            self.socket = socket
            _ = try socket.connect()
            // Watch first: an ICMP error may have arrived when send(2) returns.
            try progress.wait(on: socket, for: .readable) { [weak self] _ in self?.readable() }
            // An empty send buffer accepts a datagram at once; otherwise the run ends by timeout.
            _ = try socket.send(settings.payload[...])
            if case .notExpected(let patience) = settings.reply {
                let patienceEnd = progress.loop.clock.now() + patience.nanoseconds
                if patienceEnd < context.deadline {
                    progress.schedule(at: patienceEnd) { [weak self] in self?.expire() }
                }
            }
        }
    }

    func expire() {
        if case .notExpected = settings.reply {
            progress.stopWaiting()
            socket = nil
            progress.finish(.success, nil, "sent, and no ICMP error returned: the port may be open or filtered") {
                $0.absence = .timeout
            }
        } else {
            end(.failure, .timeout, "no reply in time")
        }
    }

    func cancel() {
        progress.end()
        socket = nil
    }

    private func readable() {
        attempt { () throws(ProbeFault) in
            // Throws a pending ICMP error.
            guard let socket, case .done(let bytes) = try socket.receive(1 << 16) else { return }
            progress.isAnswered = true
            progress.endPhase(.request)
            switch settings.reply {
            case .matching(let pattern) where !pattern.matches(bytes):
                let detail = "the reply does not match, \(bytes.count) bytes: \(PrintableBytes.quote(bytes))"
                end(.failure, .unexpectedResponse, detail)
            default:
                end(.success, nil, "a reply of \(bytes.count) bytes")
            }
        }
    }

    private func end(_ outcome: ProbeOutcome, _ reason: ProbeReason?, _ detail: String) {
        progress.stopWaiting()
        socket = nil
        progress.finish(outcome, reason, detail)
    }

    func fail(_ fault: ProbeFault) {
        progress.stopWaiting()
        socket = nil
        progress.fail(fault)
    }
}
