// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import Probing

@testable import Monitoring

/// One life of a simulated network: a registry and a driver watch it while it breaks and heals. It follows from a seed.
final class NetworkHistory {
    struct Settings {
        let interval: UInt64
        let confirm: UInt64
        let timeout: UInt64
        let fall: Int
        let rise: Int

        /// The longest time from the begin of a fault to the verdict.
        var detection: UInt64 {
            let more = UInt64(fall - 1) * (max(confirm, timeout) + 1_500_000_000)
            return interval + interval / 8 + more + timeout + 6_000_000_000
        }

        /// The longest time from its end to the verdict.
        var recovery: UInt64 {
            interval + interval / 8 + UInt64(rise) * max(confirm, timeout) + timeout + 4_000_000_000
        }
    }

    struct Change {
        let time: UInt64
        let service: Int
        let state: TargetState
        let text: String
    }

    let seed: UInt64
    let network: SimulatedNetwork
    let scene: DriverScene
    let settings: [Settings]
    private(set) var changes: [Change] = []
    private(set) var openings: [(time: UInt64, incident: Incident)] = []
    private(set) var tally = SimulationTally()
    private let isVerbose: Bool
    private var random: SimulatedRandom
    private var lastEvent: UInt64 = 0
    private let wallBase: Int64
    private let timeBase: UInt64

    init(seed: UInt64, isVerbose: Bool = false) throws {
        self.seed = seed
        self.isVerbose = isVerbose
        var random = SimulatedRandom(seed: seed)
        let network = SimulatedNetwork(seed: seed, services: Self.count(&random), &random)
        let shared = Self.settings(network, &random)
        let isShared = random.happens(0.7)
        settings = network.services.map { _ in isShared ? shared : Self.settings(network, &random) }
        self.network = network
        self.random = random
        scene = DriverScene()
        wallBase = scene.world.clock.now().milliseconds
        timeBase = scene.world.now()
        scene.world.keepsStarts = false
        scene.world.behaviour = { [unowned scene] in network.answer($0, at: scene.world.now()) }
        scene.world.traceBehaviour = { [unowned scene] in network.trace($0, at: scene.world.now()) }
        scene.registry.beginIncidents()
        scene.apply(try network.services.indices.map { try target($0) })
        for (gateway, services) in Dictionary(grouping: network.services.indices, by: network.gateway(of:)) {
            scene.path(.up(gateway: "\(gateway)"), of: services.map { "t\($0)" })
        }
    }

    private static func count(_ random: inout SimulatedRandom) -> Int {
        switch random.number(0...99) {
        case 0..<8: 1
        case 8..<45: random.number(2...10)
        case 45..<98: random.number(11...60)
        default: 300
        }
    }

    private static func settings(_ network: SimulatedNetwork, _ random: inout SimulatedRandom) -> Settings {
        let isDefault = random.happens(0.3)
        let interval = isDefault ? 30_000_000_000 : random.seconds(2...30)
        // One lost packet must not be a failure of the target.
        let isLossy = network.lossRate > 0
        let timeout = isDefault ? 5_000_000_000 : min(interval, random.seconds((isLossy ? 2 : 1)...5))
        let confirm = isDefault ? 5_000_000_000 : min(interval, random.seconds(1...6))
        let fall = isDefault ? 3 : random.number((isLossy ? 2 : 1)...3)
        return Settings(
            interval: interval,
            confirm: confirm,
            timeout: timeout,
            fall: fall,
            rise: isDefault ? 2 : random.number(1...2)
        )
    }

    private func target(_ number: Int) throws -> TargetSettings {
        let service = network.services[number]
        let address = network.hosts[service.host].address
        let settings = settings[number]
        let kind: ProbeKind =
            service.port.map { .tcp(TCPProbeSettings(port: $0)) } ?? .icmp(ICMPProbeSettings(count: 3))
        let request = ProbeRequest(
            host: .address(address),
            kind: kind,
            timeout: .nanoseconds(Int64(settings.timeout))
        )
        var target = TargetSettings.address("t\(number)", "\(address)")
        target.probe = ProbePlan(
            .ask(request),
            verdict: try VerdictSettings(
                fall: settings.fall,
                rise: settings.rise,
                interval: .nanoseconds(Int64(settings.interval)),
                confirmInterval: .nanoseconds(Int64(settings.confirm))
            ),
            jitter: 0.1
        )
        return target
    }

    // MARK: Time

    /// Lets everything happen, and compares.
    func run() -> SimulationTally {
        let begin = timeBase + random.seconds(60...120)
        network.faults = plan(from: begin)
        describe()
        let checks = network.faults.indices.sorted { network.faults[$0].end < network.faults[$1].end }
        for fault in checks {
            advance(to: network.faults[fault].end - 1_000_000)
            check(fault)
        }
        let end = (network.faults.map(\.end).max() ?? begin) + recovery
        advance(to: end)
        tally.add(SimulationReview(self).tally)
        scene.driver.close()
        return tally
    }

    var detection: UInt64 { (settings.map(\.detection).max() ?? 0) + (settings.count > 100 ? 5_000_000_000 : 0) }
    var recovery: UInt64 { (settings.map(\.recovery).max() ?? 0) + (settings.count > 100 ? 5_000_000_000 : 0) }

    private func plan(from begin: UInt64) -> [SimulatedFault] {
        var faults: [SimulatedFault] = []
        var time = begin
        let (isTogether, isNested) = (random.happens(0.25), random.happens(0.2))
        for number in 0..<(isTogether || isNested ? 2 : random.number(1...3)) {
            let isShort = random.happens(0.1)
            var length = isShort ? random.seconds(1...20) : detection + random.seconds(5...90)
            if isNested, number == 0 { length = 2 * detection + recovery + random.seconds(30...60) }
            faults.append(network.makeFault(from: time, to: time + length, &random))
            if isNested {
                time += detection + random.seconds(1...30)
            } else if isTogether {
                time += random.seconds(0...20)
            } else {
                time += length + recovery + random.seconds(0...200)
            }
        }
        return faults
    }

    private func advance(to time: UInt64) {
        while scene.world.now() < time {
            scene.advance(.nanoseconds(Int64(min(5_000_000_000, time - scene.world.now()))))
            read()
        }
    }

    private func read() {
        for event in scene.registry.changes(after: lastEvent, limit: .max).events {
            lastEvent = event.sequence
            let time = timeBase + UInt64(max(0, event.at.milliseconds - wallBase)) * 1_000_000
            switch event.content {
            case .state(let record, let previous):
                guard let number = record.target.flatMap({ Int($0.settings.id.dropFirst()) }) else { continue }
                let text = record.reason.map { "\($0.code.rawValue): \($0.detail)" } ?? ""
                let isChange = record.state != previous.state
                if isChange {
                    changes.append(Change(time: time, service: number, state: record.state, text: text))
                }
                log(time, "t\(number) \(isChange ? "is" : "still") \(record.state.rawValue) \(text)")
            case .incident(let change):
                if change.action == .opened || change.action == .reopened { openings.append((time, change.incident)) }
                log(
                    time,
                    "incident \(change.incident.id) \(change.action.rawValue): \(change.incident.cause.kind) "
                        + "\(change.incident.cause.subject), \(change.incident.counts.total) members"
                )
            default: break
            }
        }
    }

    // MARK: Readings

    /// The element that a target's verdict names; nil for none.
    private func named(_ record: StatusRecord) -> IPAddress? {
        guard let diagnosis = record.evaluation?.diagnosis else { return nil }
        switch diagnosis.rule {
        case .pathBroken: return diagnosis.pathEnd?.lastHop?.address
        case .routerRejects, .gatewayRejects: return diagnosis.offender?.address
        case .gatewaySilent: return record.path?.gateway
        default: return nil
        }
    }

    private func check(_ number: Int) {
        let fault = network.faults[number]
        let now = scene.world.now()
        let blockers = network.services.indices.map { network.blocker(of: $0, at: now) }
        let concerned = network.services.indices.filter {
            blockers[$0]?.fault == number && !network.hasOwnFault($0, from: 0, to: now)
        }
        let hosts = Set(concerned.map { network.services[$0].host })
        for service in network.services.indices {
            guard let blocker = blockers[service], blocker.fault == number,
                let record = scene.registry.target("t\(service)")
            else { continue }
            let since = now - settings[service].detection
            let settling = settings[service].detection + UInt64(settings[service].fall) * settings[service].interval
            let isSettled =
                fault.kind.isOfWay
                || network.faults.allSatisfy { other in
                    !other.kind.isOfWay || other.end <= now - min(now, settling) || other.begin >= now
                }
            guard fault.begin <= since, isSettled,
                [since, now - settings[service].detection / 2].allSatisfy({
                    network.blocker(of: service, at: $0)?.fault == number
                })
            else { continue }
            let reading = reading(record, fault, service)
            let kind = kind(fault, service, blocker.isPartial, hosts, now)
            tally.count(reading, of: kind)
            guard !kind.contains("(") else { continue }
            let isRight = fault.kind.isOfWay ? reading == .right : reading == .down
            if fault.kind.isOfWay { tally.elements.count(isRight) } else { tally.deadHosts.count(isRight) }
            if !isRight {
                let reason = record.reason.map { $0.detail } ?? ""
                mistake(
                    "\(kind): t\(service) \(network.address(of: service)) is \(record.state.rawValue) (\(reading)): \(reason)"
                )
            }
        }
    }

    private func reading(_ record: StatusRecord, _ fault: SimulatedFault, _ service: Int) -> SimulationTally.Reading {
        switch record.state {
        case .down: return .down
        case .up, .degraded: return .nothing
        case .unreachable: break
        default: return .other
        }
        guard fault.kind.isOfWay else { return .wrong }
        guard let named = named(record) else { return .unnamed }
        // Of several faults on the way each is one.
        let names = network.faults.filter { network.blocks($0, service, at: scene.world.now()) }
            .map { network.names(of: $0, for: network.services[service].host) }
        return names.contains { $0.contains(named) } ? .right : .wrong
    }

    /// A row of the matrix; those with a parenthesis are not counted.
    private func kind(_ fault: SimulatedFault, _ service: Int, _ isPartial: Bool, _ hosts: Set<Int>, _ now: UInt64)
        -> String
    {
        let kind = fault.kind.rawValue + (fault.isReported && fault.kind.mayBeReported ? "+report" : "")
        if isPartial || fault.router != nil { return "\(kind) (half)" }
        if fault.kind.isOfWay {
            let host = network.services[service].host
            if network.hasOwnFault(service, from: fault.begin, to: now) { return "\(kind) (and own)" }
            return network.isVisible(fault, for: host, concerned: hosts) ? kind : "\(kind) (alone)"
        }
        return network.isAmbiguous(fault, at: now) ? "\(kind) (all)" : kind
    }

    // MARK: Words

    func mistake(_ text: String) {
        tally.mistakes.append("seed \(seed): \(text)")
        log(scene.world.now(), "WRONG \(text)")
    }

    func log(_ time: UInt64, _ text: String) {
        guard isVerbose else { return }
        let seconds = Double(time - min(time, timeBase)) / 1_000_000_000
        print("\((seconds * 1_000).rounded() / 1_000) s: \(text)")
    }

    private func describe() {
        guard isVerbose else { return }
        for (number, stage) in network.stages.enumerated() {
            let flags = stage.routers.map { ($0.reportsExpiry ? "" : " silent") + ($0.isRationed ? " rationed" : "") }
            let back = stage.wayBack.map { ", back by \($0)" } ?? ""
            print(
                "stage \(number) hop \(stage.hop) behind \(stage.parent ?? -1)\(back): \(network.address(of: number, 0, .ipv4))\(flags)"
            )
        }
        for (number, service) in network.services.enumerated() {
            let host = network.hosts[service.host]
            print(
                "t\(number): \(host.address) port \(service.port ?? 0) way \(network.ways[host.stage]) \(settings[number])"
            )
        }
        print("loss \(network.lossRate)")
        for fault in network.faults {
            log(fault.begin, "\(fault)")
            log(fault.end, "ends")
        }
    }
}
