// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// `icmp`: echo requests, their replies and losses.
///
/// Round trips end at the kernel's arrival time by the system's clock, so the delay of the loop does not count.
final class ICMPProbe: ProbeAttempt {
    private static let retryInterval: UInt64 = 1_000_000

    private let settings: ICMPProbeSettings
    private let progress: AttemptProgress
    private let service: EchoService
    private let identifier: UInt16
    private let data: [UInt8]
    private var socket: EchoSocket?
    private var roundTrips: [UInt64?] = []
    /// The hop limit of the last reply.
    private var hopLimit: UInt8?
    /// The requests by sequence number.
    private var waiting: [UInt16: Int] = [:]
    private var fault: ProbeFault?

    init(_ settings: ICMPProbeSettings, _ context: AttemptContext, _ service: EchoService) {
        self.settings = settings
        self.service = service
        progress = AttemptProgress(context)
        let size = min(max(settings.size, 0), 65_000)
        identifier = UInt16(truncatingIfNeeded: service.random.next())
        let token = service.random.next()
        data = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            for index in 0..<size {
                unsafe buffer[index] = UInt8(
                    truncatingIfNeeded: index < 8 ? Int(truncatingIfNeeded: token >> (8 * index)) : index
                )
            }
            count = size
        }
    }

    func start() {
        guard (1...1_000).contains(settings.count), (0...65_000).contains(settings.size),
            settings.timeToLive != 0
        else {
            let detail = "allowed: count 1 to 1,000, size 0 to 65,000, time to live 1 to 255"
            return fail(ProbeFault(reason: .invalidRequest, detail: detail))
        }
        do throws(ProbeFault) {
            socket = try service.acquire(progress.context.address.family)
        } catch {
            return fail(error)
        }
        sendNext()
    }

    func expire() {
        // Replies that reached the kernel in time must count even if the loop is late.
        socket?.catchUp()
        finish()
    }

    func cancel() {
        progress.end()
        release()
    }

    func fail(_ fault: ProbeFault) {
        release()
        progress.fail(fault)
    }

    private func sendNext() {
        guard let socket, !progress.isOver else { return }
        let index = roundTrips.count
        let packet = EchoPacket(
            address: progress.context.address,
            origin: progress.context.origin,
            identifier: identifier,
            data: data,
            timeToLive: settings.timeToLive,
            dontFragment: settings.dontFragment
        )
        do throws(ProbeFault) {
            guard let sequence = try socket.send(packet, handler: { [weak self] in self?.took($0, $1) }) else {
                return planNext(after: Self.retryInterval)
            }
            waiting[sequence] = index
        } catch {
            // A send error counts as a loss: half a run over an unstable route is a loss of one half.
            fault = fault ?? error
        }
        roundTrips.append(nil)
        if roundTrips.count < settings.count {
            planNext(after: settings.spacing.nanoseconds)
        } else {
            finishIfComplete()
        }
    }

    private func planNext(after delay: UInt64) {
        let now = progress.loop.clock.now()
        progress.schedule(at: now + delay) { [weak self] in self?.sendNext() }
    }

    private func took(_ sequence: UInt16, _ event: EchoEvent) {
        guard let index = waiting.removeValue(forKey: sequence) else { return }
        switch event {
        case .reply(let time, let hopLimit):
            progress.isAnswered = true
            self.hopLimit = hopLimit
            roundTrips[index] = time
        case .error(let error):
            fault = fault ?? ProbeFault(error, SystemError(code: error.systemError, operation: "ping").description)
        }
        finishIfComplete()
    }

    private func finishIfComplete() {
        if waiting.isEmpty, roundTrips.count == settings.count { finish() }
    }

    private func finish() {
        let statistics = ICMPStatistics(roundTrips: roundTrips, hopLimit: hopLimit)
        release()
        let (outcome, reason, detail) = verdict(statistics)
        progress.finish(outcome, reason, detail) { result in
            result.answers = ProbeAnswers([statistics])
            if statistics.received == 0 { result.packetError = fault?.packetError }
            result.phases[.request] = statistics.average
        }
    }

    private func verdict(_ statistics: ICMPStatistics) -> (ProbeOutcome, ProbeReason?, String) {
        let count = "\(statistics.received) of \(statistics.sent) replies"
        guard statistics.received > 0, let average = statistics.average else {
            return (.failure, fault?.reason ?? .timeout, fault?.detail ?? "\(count) in time")
        }
        let detail = "\(count), \(average.milliseconds) on average"
        if statistics.loss > settings.failedLoss { return (.failure, .packetLoss, detail) }
        return statistics.loss > settings.degradedLoss ? (.degraded, .packetLoss, detail) : (.success, nil, detail)
    }

    private func release() {
        guard let socket else { return }
        self.socket = nil
        for sequence in waiting.keys { socket.forget(sequence) }
        waiting = [:]
        service.release()
    }
}
