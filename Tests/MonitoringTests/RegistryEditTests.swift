// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Synchronization
import TestSupport
import Testing

@testable import Monitoring

@Suite("Single targets of the registry")
struct RegistryEditTests {
    let source = FakeSource()
    let registry: Registry

    init() {
        registry = Registry(clock: FakeClock(), epoch: "e0")
        registry.connect(to: source)
    }

    private func target(_ id: String, _ origin: TargetSettings.Origin = .api, group: String? = nil) -> TargetSettings {
        var target = TargetSettings.address(id)
        target.origin = origin
        target.group = group
        return target
    }

    private var told: [String] {
        registry.changes(after: 0, limit: .max).events.compactMap { event in
            guard case .target(let action, let record) = event.content else { return nil }
            return "\(action) \(record.target?.settings.id ?? "")"
        }
    }

    @Test("are added, changed and removed; only the new one causes a path request")
    func life() {
        registry.apply(targets: [target("config", .config)])
        let before = registry.target("config")
        #expect(registry.edit([target("a")]).added == 1)
        #expect(source.id(target("a").request) != nil)
        #expect(registry.edit([target("a")]).unchanged == 1)
        #expect(registry.edit([target("a", group: "g")]).updated == 1)
        #expect(registry.edit([], removing: ["a", "nobody"]).removed == 1)
        #expect(told == ["added config", "added a", "updated a", "removed a"])
        #expect(registry.target("config") === before)
    }

    @Test("of other origins are never changed")
    func foreign() {
        registry.apply(targets: [target("config", .config), target("found", .discovery)])
        let sequence = registry.sequence
        let changes = registry.edit([target("config"), target("found")], removing: ["config", "found"])
        #expect(changes == TargetChanges())
        #expect(registry.sequence == sequence)
    }

    @Test("A declaration's version is above all earlier and not above later record versions")
    func versions() throws {
        registry.edit([target("a")])
        let first = try #require(registry.target("a"))
        #expect(first.target?.version ?? .max <= first.version)
        let old = registry.version
        registry.edit([target("a", group: "g")])
        let second = try #require(registry.target("a"))
        #expect(try #require(second.target).version > first.version)
        #expect(try #require(second.target).version > old)
        #expect(try #require(second.target).version <= second.version)
    }

    @Test("Random edits give the same result as one list", arguments: 0..<4 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed + 9)
        var model: [String: TargetSettings] = [:]
        for _ in 0..<300 {
            let ids = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                "t\(Int.random(in: 0..<20, using: &generator))"
            }
            let new = Set(ids).map { target($0, group: Bool.random(using: &generator) ? "g" : nil) }
            let gone = "t\(Int.random(in: 0..<20, using: &generator))"
            // What is removed and named in one call is new afterwards.
            registry.edit(new, removing: [gone])
            model[gone] = nil
            for target in new { model[target.id] = target }
            let records = registry.page(after: 0, limit: .max).records
            let settings = records.compactMap { $0.target?.settings }
            #expect(Dictionary(uniqueKeysWithValues: settings.map { ($0.id, $0) }) == model)
            #expect(registry.overview.counts.total == model.count)
        }
        // Of each the engine has one question, and none of those that are gone.
        #expect(source.state.withLock { $0.requests.count } == model.count + 1)
        #expect(registry.apply(targets: Array(model.values)).unchanged == model.count)
    }
}
