// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import Probing
import Synchronization

@testable import Monitoring

/// A world without waiting: time goes on when it is told to, and probes come to what the test says.
final class VirtualWorld: ProbeEnvironment {
    final class Run {
        let number: Int
        fileprivate let completion: (ProbeResult) -> Void
        fileprivate var timer = -1

        fileprivate init(number: Int, completion: @escaping (ProbeResult) -> Void) {
            self.number = number
            self.completion = completion
        }
    }

    private struct Alarm {
        let deadline: UInt64
        let number: Int
    }

    let clock = FakeClock()
    private(set) var time: UInt64 = 1_000_000_000_000
    private var suspended: UInt64 = 0
    private var alarms: [Alarm] = []
    private var handlers: [Int: () -> Void] = [:]
    private var lastNumber = 0
    /// Runs after each step.
    var afterStep: () -> Void = {}
    /// The addresses of names, for the results of probes that run into their timeout.
    var addresses: [ProbeHost: IPAddress] = [:]
    /// What a probe comes to, and after how long.
    var behaviour: (ProbeRequest) -> (UInt64, ProbeResult) = { _ in (1_000_000, .success) }
    /// What a trace comes to, and after how long.
    var traceBehaviour: (TraceRequest) -> (UInt64, TraceResult) = { (2_000_000_000, .silent($0, behind: [])) }
    /// What an investigation of a stall comes to, after a second.
    var investigationBehaviour: (ProbeRequest) -> PathMTUBlackHole? = { _ in nil }
    private(set) var investigations: [(time: UInt64, request: ProbeRequest)] = []
    private(set) var traces: [(time: UInt64, request: TraceRequest)] = []
    private(set) var starts: [(time: UInt64, request: ProbeRequest)] = []
    var keepsStarts = true
    private(set) var startCount = 0
    private(set) var runsInFlight = 0
    /// This machine's connections, as the test makes them; nil when they are not observed.
    var connections: FakeTraffic?
    var traffic: (any TrafficSource)? { connections }

    func now() -> UInt64 { time }

    func suspendedTime() -> UInt64 { suspended }

    func schedule(at deadline: UInt64, _ handler: @escaping () -> Void) -> Int {
        lastNumber += 1
        let alarm = Alarm(deadline: max(deadline, time), number: lastNumber)
        // Sorted with the next one last; of equal deadlines the earlier set is first.
        var low = 0
        var high = alarms.count
        while low < high {
            let middle = (low + high) / 2
            if alarms[middle].deadline > alarm.deadline { low = middle + 1 } else { high = middle }
        }
        alarms.insert(alarm, at: low)
        handlers[alarm.number] = handler
        return alarm.number
    }

    func cancel(_ timer: Int) { handlers[timer] = nil }

    func start(
        _ request: ProbeRequest,
        under policy: TargetPolicy?,
        completion: @escaping (ProbeResult) -> Void
    ) -> Run {
        startCount += 1
        runsInFlight += 1
        if keepsStarts { starts.append((time, request)) }
        let run = Run(number: startCount, completion: completion)
        let (delay, result) = behaviour(request)
        // Beyond its timeout a probe does not go on.
        let (begin, limit) = (time, request.timeout.nanoseconds)
        run.timer = schedule(at: begin + min(delay, limit)) { [weak self] in
            guard let self else { return }
            runsInFlight -= 1
            // Seen late after a stall.
            let duration = Duration.nanoseconds(Int64(time - begin))
            completion(delay > limit ? .failure(.timeout, after: duration, at: addresses[request.host]) : result)
        }
        return run
    }

    func end(_ run: Run) {
        guard handlers[run.timer] != nil else { return }
        handlers[run.timer] = nil
        _ = schedule(at: time) { [weak self] in
            self?.runsInFlight -= 1
            run.completion(.failure(.cancelled))
        }
    }

    func trace(_ request: TraceRequest, completion: @escaping (TraceResult) -> Void) {
        traces.append((time, request))
        let (delay, result) = traceBehaviour(request)
        _ = schedule(at: time + delay) { completion(result) }
    }

    func investigate(
        _ request: ProbeRequest,
        to address: IPAddress,
        under policy: TargetPolicy?,
        completion: @escaping (PathMTUBlackHole?) -> Void
    ) {
        investigations.append((time, request))
        let blackHole = investigationBehaviour(request)
        _ = schedule(at: time + 1_000_000_000) { completion(blackHole) }
    }

    /// Lets time go on.
    func advance(_ duration: Duration) {
        let end = time + duration.nanoseconds
        while let next = alarms.last, next.deadline <= end {
            alarms.removeLast()
            guard let handler = handlers.removeValue(forKey: next.number) else { continue }
            move(to: next.deadline)
            handler()
            afterStep()
        }
        move(to: end)
    }

    /// The thread is kept from its work: time passes, and what became due meanwhile happens late, with the next ``advance(_:)``.
    func stall(_ duration: Duration) {
        move(to: time + duration.nanoseconds)
    }

    /// The machine sleeps: the wall clock goes on, the monotonic one does not.
    func sleep(_ duration: Duration) {
        suspended += duration.nanoseconds
        clock.advance(milliseconds: Int64(duration.nanoseconds / 1_000_000))
    }

    private func move(to moment: UInt64) {
        let passed = Int64(moment / 1_000_000) - Int64(time / 1_000_000)
        if passed > 0 { clock.advance(milliseconds: passed) }
        time = max(time, moment)
    }
}

extension TraceResult {
    /// A trace that ends without an answer behind routers.
    static func silent(_ request: TraceRequest, behind routers: [String]) -> TraceResult {
        result(request, routers, .silent)
    }

    /// A trace that the destination answers.
    static func reached(_ request: TraceRequest, by routers: [String]) -> TraceResult {
        result(request, routers + ["\(request.destination)"], .reached)
    }

    static func result(_ request: TraceRequest, _ addresses: [String], _ end: End) -> TraceResult {
        let hops = addresses.enumerated().map { index, address in
            TraceHop(
                number: index + 1,
                addresses: IPAddress(address).map { [$0] } ?? [],
                roundTrips: IPAddress(address) == nil ? [] : [.milliseconds(1)],
                sent: 1
            )
        }
        return TraceResult(
            request: request,
            hops: hops,
            end: end,
            duration: .milliseconds(10),
            packetsSent: hops.count,
            isOneFlow: true
        )
    }
}

extension ProbeResult {
    static let success = ProbeResult(outcome: .success, detail: "it answers", duration: .milliseconds(1))

    /// A target that must not answer, and does not.
    static func absent(_ reason: ProbeReason) -> ProbeResult {
        ProbeResult(outcome: .success, detail: "no answer", duration: .milliseconds(1), absence: reason)
    }

    static func failure(
        _ reason: ProbeReason,
        after duration: Duration = .milliseconds(1),
        at address: IPAddress? = nil
    ) -> ProbeResult {
        ProbeResult(outcome: .failure, reason: reason, detail: "it fails", duration: duration, address: address)
    }
}
