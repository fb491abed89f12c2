// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Synchronization
import TestSupport
import Testing

@testable import Monitoring

@Suite("Dependencies that change one at a time")
struct DependencyGraphTests {
    @Test("Thousands of random edits give the same result as a graph of all targets", arguments: 0..<4 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed + 21)
        var graph = DependencyGraph()
        var model: [String: [String]] = [:]
        var refused = 0
        for _ in 0..<2_000 {
            let id = "\(Int.random(in: 0..<30, using: &generator))"
            let parents = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                "\(Int.random(in: 0..<30, using: &generator))"
            }
            var edited = model
            edited[id] = generator.once(in: 4) ? nil : parents
            let whole: ParentGraph
            do throws(ParentGraphError) {
                whole = try ParentGraph(Self.edges(edited))
            } catch {
                refused += 1
                let found = graph.cycle(of: id, dependingOn: parents)
                let members = try #require(found)
                #expect(members.first == id)
                #expect(Set(members).count == members.count)
                for (child, parent) in zip(members, members.dropFirst() + members.prefix(1)) {
                    #expect(edited[child, default: []].contains(parent))
                }
                continue
            }
            model = edited
            graph.set(id, dependsOn: model[id] ?? [])
            #expect(graph.resume().isEmpty)
            for id in model.keys {
                #expect(graph.parents(of: id).filter { model[$0] != nil } == whole.parents(of: id))
                #expect(Set(graph.children(of: id)) == Set(whole.children(of: id)))
            }
            #expect(graph.isFlat == model.values.allSatisfy(\.isEmpty))
        }
        #expect((100...1_900).contains(refused))
    }

    @Test("Dependencies that close a cycle have no effect while it exists; others keep theirs")
    func cycle() {
        var graph = DependencyGraph()
        graph.set("a", dependsOn: ["b"])
        graph.set("x", dependsOn: ["a"])
        graph.set("b", dependsOn: ["c", "a"])
        #expect(graph.resume().isEmpty)
        #expect(graph.parents(of: "b").isEmpty)
        #expect(graph.children(of: "c").isEmpty)
        #expect(graph.parents(of: "x") == ["a"])
        graph.set("a", dependsOn: [])
        #expect(graph.resume() == ["b"])
        #expect(graph.parents(of: "b") == ["c", "a"])
    }

    @Test("An edit among 50,000 visits no other target, and the cycle search takes the smaller side")
    func cost() {
        var graph = DependencyGraph()
        for number in 1..<50_000 { graph.set("\(number)", dependsOn: ["\(number - 1)"]) }
        #expect(graph.visits == 0)
        graph.set("new", dependsOn: ["49999"])
        graph.set("49999", dependsOn: ["25000", "10"])
        graph.set("0", dependsOn: ["root"])
        #expect(graph.visits < 10)
    }
}

extension DependencyGraphTests {
    private static func edges(_ model: [String: [String]]) -> [(id: String, dependsOn: [String])] {
        model.map { id, parents in (id: id, dependsOn: parents.filter { model[$0] != nil || $0 == id }) }
    }

    @Test("Random edits of a registry suspend the same targets as one list", arguments: 0..<4 as Range<UInt64>)
    func registry(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed + 5)
        let source = FakeSource()
        let registry = Registry(clock: FakeClock(), epoch: "e0")
        registry.connect(to: source)
        var model: [String: TargetSettings] = [:]
        for round in 0..<400 {
            let number = Int.random(in: 0..<15, using: &generator)
            var target = TargetSettings.address("\(number)", "198.51.100.\(number)")
            target.origin = .api
            // Upwards only, so that there is no cycle; some of them do not exist.
            target.dependsOn = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                "\(Int.random(in: number + 1...16, using: &generator))"
            }
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                registry.edit([], removing: [target.id])
                model[target.id] = nil
            case 1:
                guard let id = source.id(target.request), model[target.id] != nil else { continue }
                let path = Bool.random(using: &generator) ? NetworkPath.up() : .down()
                let update = PathUpdate(
                    id: id,
                    path: path,
                    previous: registry.target(target.id)?.path,
                    trigger: .init(.route)
                )
                registry.pathsDidChange([update])
            default:
                registry.edit([target])
                model[target.id] = target
            }
            for (id, settings) in model {
                let isBlocked = settings.dependsOn.contains { parent in
                    registry.target(parent).map { $0.state == .down || $0.state == .unreachable } ?? false
                }
                let ordinal = try #require(registry.target(id)?.target).ordinal
                let blocking = registry.state.withLock { $0.judges[ordinal]?.blockingParent }
                #expect((blocking != nil) == isBlocked, "\(id) in round \(round)")
            }
        }
    }

    @Test("An edit requests one path and evaluates only its dependents")
    func bounded() {
        let source = FakeSource()
        let registry = Registry(clock: FakeClock(), epoch: "e0")
        registry.connect(to: source)
        registry.edit(
            (0..<5_000).map { number in
                var target = TargetSettings.address("\(number)")
                target.origin = .api
                if number % 100 != 0 { target.dependsOn = ["\(number / 100 * 100)"] }
                return target
            }
        )
        let before = registry.state.withLock { $0.consultations }
        let asked = source.state.withLock { $0.added }
        var target = TargetSettings.address("7")
        target.origin = .api
        target.dependsOn = ["100"]
        registry.edit([target])
        target.dependsOn = ["nobody"]
        registry.edit([target])
        registry.edit([], removing: ["7"])
        registry.edit([target])
        #expect(registry.state.withLock { $0.consultations } - before <= 4)
        #expect(source.state.withLock { $0.added } == asked + 1)
    }
}
