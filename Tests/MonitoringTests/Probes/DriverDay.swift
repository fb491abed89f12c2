// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Probing
import TestSupport

@testable import Monitoring

/// 24 hours of the registry, its judges and the driver together: targets that fail at random, an uplink that goes, a machine
/// that sleeps, people who pause things and change the configuration. What must hold is looked at after each disturbance.
final class DriverDay {
    static let count = 16
    private static let interval: Duration = .seconds(60)

    let scene: DriverScene
    private var generator: SeededGenerator
    private var behaviours: [ProbeHost: (UInt64, ProbeResult)] = [:]
    private var paused: Set<String> = []
    private var isPathUp = true
    private var generation: UInt32 = 1
    private var group = 0
    /// From when on a target could be asked.
    private var runnableSince: [String: UInt64] = [:]
    private var position: UInt64 = 0
    private var told: [String: TargetState] = [:]
    private(set) var transitions = 0
    private(set) var faults: [String] = []

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        var log = EventLogSettings()
        log.capacity = 100_000
        log.maximumBytes = 1 << 30
        scene = DriverScene(log: log)
    }

    private func id(_ index: Int) -> String { "t\(index)" }

    private func host(_ index: Int) -> ProbeHost { .address(IPAddress(ipv4: 0x0A00_0000 + UInt32(index))) }

    private func targets() throws -> [TargetSettings] {
        try (0..<Self.count).map { index in
            var settings = try TargetSettings.probed(
                id(index),
                "10.0.0.\(index)",
                interval: Self.interval,
                // Every fifth depends on the one before.
                dependsOn: index % 5 == 4 ? [id(index - 1)] : []
            )
            // What a reload changes, of some of them.
            if index % 7 == 0 { settings.group = "g\(group)" }
            return settings
        }
    }

    func run() throws {
        scene.world.keepsStarts = false
        scene.world.behaviour = { [unowned self] request in
            lastStart[request.host] = scene.world.now()
            return behaviours[request.host] ?? (2_000_000, .success)
        }
        scene.apply(try targets())
        scene.path(.up())
        for index in 0..<Self.count { runnableSince[id(index)] = scene.world.now() }
        let end = scene.world.now() + 86_400 * 1_000_000_000
        while scene.world.now() < end {
            scene.advance(.milliseconds(Int.random(in: 1000...120_000, using: &generator)))
            check()
            try disturb()
            check()
        }
        try calm()
    }

    // MARK: Disturbances

    private var lastStart: [ProbeHost: UInt64] = [:]

    private func disturb() throws {
        let index = Int.random(in: 0..<Self.count, using: &generator)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...4:
            let kinds: [(UInt64, ProbeResult)] = [
                (1_000_000, .success), (1_000_000, .success), (1_000_000, .failure(.connectRefused)),
                (9_000_000_000, .success), (1_000_000, .failure(.nameTimeout)),
                (1_000_000, ProbeResult(outcome: .degraded, reason: .tooSlow, detail: "slow", duration: .seconds(1))),
                (1_000_000, .failure(.outOfDescriptors)),
            ]
            behaviours[host(index)] = kinds.randomElement(using: &generator)
        case 5, 6:
            isPathUp.toggle()
            generation += 1
            scene.path(isPathUp ? .up(generation: generation) : .down(.noCarrier))
            release()
        case 7:
            scene.world.sleep(.seconds(Int.random(in: 2...7200, using: &generator)))
            scene.advance(.seconds(5))
            release()
        case 8:
            _ = scene.registry.setPaused(true, target: id(index))
            scene.applyCommands()
            paused.insert(id(index))
        case 9:
            for id in paused { _ = scene.registry.setPaused(false, target: id) }
            scene.applyCommands()
            paused = []
            release()
        case 10:
            group += 1
            scene.apply(try targets())
            release()
        default:
            guard let ordinal = scene.registry.target(id(index))?.target?.ordinal else { return }
            scene.driver.probe(ordinal) { _ in }
        }
    }

    /// From now on targets may be waiting for their first turn again.
    private func release() {
        for index in 0..<Self.count { runnableSince[id(index)] = scene.world.now() }
    }

    /// In the end all is well, and everybody has to see it.
    private func calm() throws {
        behaviours = [:]
        for id in paused { _ = scene.registry.setPaused(false, target: id) }
        paused = []
        isPathUp = true
        scene.path(.up(generation: generation + 1))
        scene.advance(.seconds(600))
        check()
        for index in 0..<Self.count where scene.state(id(index)) != .up {
            faults.append("\(id(index)) is \(scene.state(id(index)).map(\.rawValue) ?? "gone") in the end")
        }
        if scene.world.runsInFlight > 0 { faults.append("\(scene.world.runsInFlight) probes are left in flight") }
    }

    // MARK: What must hold

    private func check() {
        readEvents()
        let now = scene.world.now()
        for index in 0..<Self.count {
            let id = id(index)
            guard let record = scene.registry.target(id) else {
                faults.append("\(id) is gone")
                continue
            }
            if told[id, default: .unknown] != record.state { faults.append("\(id): a transition was not told") }
            if paused.contains(id) != (record.state == .paused) { faults.append("\(id): paused, or not") }
            if !isPathUp, !paused.contains(id), record.state != .unreachable {
                faults.append("\(id): no path, yet \(record.state)")
            }
            checkTurn(of: index, record, at: now)
        }
    }

    private func readEvents() {
        let slice = scene.registry.changes(after: position, limit: .max)
        if slice.oldest > position + 1 { faults.append("events were lost") }
        position = slice.head
        for event in slice.events {
            guard case .state(let record, let previous) = event.content, let id = record.target?.settings.id else {
                continue
            }
            transitions += 1
            if told[id, default: .unknown] != previous.state {
                faults.append("\(id): from \(previous.state) was never told")
            }
            told[id] = record.state
        }
    }

    /// Who may be asked is asked: after a start that was not on the grid the next one is half an interval to one and a half
    /// later, else one; and a probe may wait for the one before it.
    private func checkTurn(of index: Int, _ record: StatusRecord, at now: UInt64) {
        let rests = !isPathUp || paused.contains(id(index)) || record.evaluation?.basis == .parent
        guard !rests else {
            runnableSince[id(index)] = now
            return
        }
        let last = max(lastStart[host(index)] ?? 0, runnableSince[id(index)] ?? 0)
        if now - last > 96_000_000_000 {
            faults.append("\(id(index)) was not asked for \((now - last) / 1_000_000_000) s")
        }
    }
}
